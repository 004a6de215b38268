"""Attention by warpgroups of sm_90a: TMA, mbarriers, wgmma."""
