"""MuJoCo MJX: two linked bodies and a ball fall on a floor; 50 steps with contacts for 4 starts at once."""

import jax
import jax.numpy as jnp
import mujoco
from mujoco import mjx

TOLERANCES = {"positions": (0.0, 2e-3), "velocities": (0.0, 5e-2)}
"""In f32: contacts amplify roundings from step to step."""

BODIES = """
<mujoco>
  <option timestep="0.004" iterations="4" ls_iterations="8"/>
  <worldbody>
    <geom type="plane" size="2 2 0.1"/>
    <body pos="0 0 0.4">
      <freejoint/>
      <geom type="capsule" size="0.05" fromto="0 0 0 0.2 0 0"/>
      <body pos="0.2 0 0">
        <joint name="elbow" axis="0 1 0" damping="0.01"/>
        <geom type="capsule" size="0.04" fromto="0 0 0 0.15 0 0.1"/>
      </body>
    </body>
    <body pos="0.05 0.02 0.7"><freejoint/><geom type="sphere" size="0.06"/></body>
  </worldbody>
  <actuator><motor joint="elbow" gear="0.1"/></actuator>
</mujoco>
"""


def make():
    model = mujoco.MjModel.from_xml_string(BODIES)
    on_device = mjx.put_model(model)
    start = mjx.make_data(model)

    @jax.jit
    @jax.vmap
    def fall(control):
        data = start.replace(ctrl=control)
        data = jax.lax.fori_loop(0, 50, lambda n, data: mjx.step(on_device, data), data)
        return data.qpos, data.qvel

    def run():
        positions, velocities = fall(jnp.linspace(-1, 1, 4)[:, None])
        return {"positions": positions, "velocities": velocities}

    return run
