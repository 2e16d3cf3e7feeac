/* Prints owner and rights of a file or folder in Windows' own notation (SDDL), a
   line each. x86_64-w64-mingw32-gcc -municode -o rights.exe rights.c -ladvapi32.
   Of tests only. */
#include <stdio.h>
#include <windows.h>
#include <aclapi.h>
#include <sddl.h>

int wmain(int argc, wchar_t **argv)
{
	for (int i = 1; i < argc; i++) {
		SECURITY_INFORMATION what = OWNER_SECURITY_INFORMATION | DACL_SECURITY_INFORMATION;
		PSECURITY_DESCRIPTOR sd;
		LPWSTR text;
		DWORD fault = GetNamedSecurityInfoW(argv[i], SE_FILE_OBJECT, what, NULL, NULL, NULL, NULL, &sd);
		if (fault != ERROR_SUCCESS) {
			fwprintf(stderr, L"%ls: error %lu\n", argv[i], fault);
			return 1;
		}
		if (!ConvertSecurityDescriptorToStringSecurityDescriptorW(sd, SDDL_REVISION_1, what, &text, NULL))
			return 1;
		wprintf(L"%ls\n", text);
	}
	return 0;
}
