/* A release that never works: it ends at once, or, while C:\hang is there, it does
   nothing, not even end with its parent. x86_64-w64-mingw32-gcc -o broken.exe
   broken.c. Of tests only. */
#include <windows.h>

int main(void)
{
	if (GetFileAttributesA("C:\\hang") != INVALID_FILE_ATTRIBUTES)
		Sleep(INFINITE);
	return 2;
}
