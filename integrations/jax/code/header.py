"""Facts of the PJRT C interface: the order of its functions, its numbers for errors and element types.

Every `*_Args` structure is a header of 16 bytes (its size, a pointer to extensions) and fields of 8 bytes each."""

from __future__ import annotations

from hlo.dialect.numpy_types import DTYPES

VERSION = (0, 112)
"""Major and minor number of the interface that the table below describes."""

_IN_ORDER = """
Error_Destroy Error_Message Error_GetCode
Plugin_Initialize Plugin_Attributes
Event_Destroy Event_IsReady Event_Error Event_Await Event_OnReady
Client_Create Client_Destroy Client_PlatformName Client_ProcessIndex Client_PlatformVersion Client_Devices
Client_AddressableDevices Client_LookupDevice Client_LookupAddressableDevice Client_AddressableMemories Client_Compile
Client_DefaultDeviceAssignment Client_BufferFromHostBuffer
DeviceDescription_Id DeviceDescription_ProcessIndex DeviceDescription_Attributes DeviceDescription_Kind
DeviceDescription_DebugString DeviceDescription_ToString
Device_GetDescription Device_IsAddressable Device_LocalHardwareId Device_AddressableMemories Device_DefaultMemory
Device_MemoryStats
Memory_Id Memory_Kind Memory_DebugString Memory_ToString Memory_AddressableByDevices
Executable_Destroy Executable_Name Executable_NumReplicas Executable_NumPartitions Executable_NumOutputs
Executable_SizeOfGeneratedCodeInBytes Executable_GetCostAnalysis Executable_OutputMemoryKinds
Executable_OptimizedProgram Executable_Serialize
LoadedExecutable_Destroy LoadedExecutable_GetExecutable LoadedExecutable_AddressableDevices LoadedExecutable_Delete
LoadedExecutable_IsDeleted LoadedExecutable_Execute Executable_DeserializeAndLoad LoadedExecutable_Fingerprint
Buffer_Destroy Buffer_ElementType Buffer_Dimensions Buffer_UnpaddedDimensions Buffer_DynamicDimensionIndices
Buffer_GetMemoryLayout Buffer_OnDeviceSizeInBytes Buffer_Device Buffer_Memory Buffer_Delete Buffer_IsDeleted
Buffer_CopyToDevice Buffer_ToHostBuffer Buffer_IsOnCpu Buffer_ReadyEvent Buffer_UnsafePointer
Buffer_IncreaseExternalReferenceCount Buffer_DecreaseExternalReferenceCount Buffer_OpaqueDeviceMemoryDataPointer
CopyToDeviceStream_Destroy CopyToDeviceStream_AddChunk CopyToDeviceStream_TotalBytes CopyToDeviceStream_GranuleSize
CopyToDeviceStream_CurrentBytes
TopologyDescription_Create TopologyDescription_Destroy TopologyDescription_PlatformName
TopologyDescription_PlatformVersion TopologyDescription_GetDeviceDescriptions TopologyDescription_Serialize
TopologyDescription_Attributes
Compile Executable_OutputElementTypes Executable_OutputDimensions Buffer_CopyToMemory Client_CreateViewOfDeviceBuffer
Executable_Fingerprint Client_TopologyDescription Executable_GetCompiledMemoryStats Memory_Kind_Id
ExecuteContext_Create ExecuteContext_Destroy Buffer_CopyRawToHost
AsyncHostToDeviceTransferManager_Destroy AsyncHostToDeviceTransferManager_TransferData
Client_CreateBuffersForAsyncHostToDevice AsyncHostToDeviceTransferManager_RetrieveBuffer
AsyncHostToDeviceTransferManager_Device AsyncHostToDeviceTransferManager_BufferCount
AsyncHostToDeviceTransferManager_BufferSize AsyncHostToDeviceTransferManager_SetBufferError
AsyncHostToDeviceTransferManager_AddMetadata
Client_DmaMap Client_DmaUnmap Client_CreateUninitializedBuffer Client_UpdateGlobalProcessInfo
TopologyDescription_Deserialize Client_CreateAliasBuffer Client_FulfillAliasBuffer
LoadedExecutable_GetDeviceAssignment Client_CreateErrorBuffer AsyncHostToDeviceTransferManager_TransferLiteral
Buffer_CopyRawToHostFuture Device_PoisonExecution Device_CreateAsyncTrackingEvent AsyncTrackingEvent_Destroy
Executable_GetCompileOptions Buffer_DonateWithControlDependency Event_Create Event_Set Device_GetAttributes Client_Load
LoadedExecutable_AddressableDeviceLogicalIds Buffer_Bitcast Error_ForEachPayload TopologyDescription_Fingerprint
Executable_ParameterMemoryKinds Device_ClearMemoryStats
"""

SLOTS = _IN_ORDER.split()
"""The functions of the table, in its order."""

SHARDINGS_EXTENSION = 19
SHARDINGS_SLOTS = ("Shardings_ParameterShardings", "Shardings_OutputShardings")
"""The number of the extension that tells the shardings of a program's arguments and results, and its functions in their order."""

LAYOUTS_EXTENSION = 4
LAYOUTS_SLOTS = (
    "Layouts_MemoryLayout_Destroy", "Layouts_MemoryLayout_Serialize", "Layouts_Client_GetDefaultLayout", "Layouts_Buffer_MemoryLayout",
    "Layouts_Topology_GetDefaultLayout", "Layouts_Executable_GetOutputLayouts", "Layouts_Executable_GetParameterLayouts",
)  # fmt: skip
"""The number of the extension that tells layouts, and its functions in their order. Without it jaxlib makes XLA's form
of a program, three times a compilation, to learn the layouts of its results, and XLA ends the process over some
programs that run."""

PROFILER_EXTENSION = 1
PROFILER_SLOTS = (
    "Error_Destroy", "Error_Message", "Error_GetCode",
    "Profiler_Create", "Profiler_Destroy", "Profiler_Start", "Profiler_Stop", "Profiler_CollectData",
)  # fmt: skip
"""The number of the extension with the functions of JAX's profiler, and these in their order. Its errors are those of
the table; the arguments of the others have a header of one word, their size."""

HEADER_WORDS = 2
"""Words of each structure of arguments before its first field: its size, extensions."""

TABLE_HEADER_WORDS = 5
"""Words before the first function: size, extensions, and the structure with the version (size, extensions, numbers)."""

INVALID_ARGUMENT, RESOURCE_EXHAUSTED, UNIMPLEMENTED, INTERNAL = 3, 8, 12, 13

ELEMENT_CODES = {
    "i1": 1, "i8": 2, "i16": 3, "i32": 4, "i64": 5, "ui8": 6, "ui16": 7, "ui32": 8, "ui64": 9,
    "f16": 10, "f32": 11, "f64": 12, "bf16": 13, "complex<f32>": 14, "complex<f64>": 15,
    "f8E5M2": 16, "f8E4M3FN": 17, "f8E4M3B11FNUZ": 18, "f8E5M2FNUZ": 19, "f8E4M3FNUZ": 20,
    "i4": 21, "ui4": 22, "i2": 24, "ui2": 25, "f8E4M3": 26, "f8E3M4": 27, "f8E8M0FNU": 28, "f4E2M1FN": 29,
}  # fmt: skip
"""Numbers of element types, by hlo's names."""

TOKEN_CODE = 23

DTYPE_OF_CODE = {code: DTYPES[name] for name, code in ELEMENT_CODES.items()}
CODE_OF_DTYPE = {dtype: code for code, dtype in DTYPE_OF_CODE.items()}

IMMUTABLE_ZERO_COPY, MUTABLE_ZERO_COPY = 2, 3
"""Host buffers whose memory the device may use as its own until it says that it is done."""
