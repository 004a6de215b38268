"""python -m hlo.tools.interrupts: interrupts at random moments of compiling, running and custom calls; none may be lost, none may crash."""
