"""Custom calls: functions in Python or machine code that programs call by name, and the targets that every process has."""

from hlo.runtime.custom_calls.registry import TARGETS as TARGETS
from hlo.runtime.custom_calls.registry import CustomCall as CustomCall
from hlo.runtime.custom_calls.registry import MachineCode as MachineCode
from hlo.runtime.custom_calls.registry import register as register
