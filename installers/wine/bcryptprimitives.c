/* What Go's runtime draws its randomness from, and Wine 8 has not: a library of
   one function. x86_64-w64-mingw32-gcc -shared -o bcryptprimitives.dll
   bcryptprimitives.c -ladvapi32, into the prefix's system32. Of tests only. */
#include <windows.h>

BOOLEAN NTAPI SystemFunction036(PVOID, ULONG);

__declspec(dllexport) BOOL WINAPI ProcessPrng(PBYTE data, SIZE_T size)
{
	while (size > 0) {
		ULONG part = size > 0x10000000 ? 0x10000000 : (ULONG)size;
		if (!SystemFunction036(data, part))
			return FALSE;
		data += part;
		size -= part;
	}
	return TRUE;
}
