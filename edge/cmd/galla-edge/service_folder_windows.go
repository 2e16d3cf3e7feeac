package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/windows"

	"galla/installers"
)

// Owner and rights, in Windows' notation, are the complete list of who may do
// what: Windows itself, administrators and the service. New files in a folder
// inherit its rights.
const (
	rightsOfFolder = "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + installers.EdgeServiceSID + ")"
	rightsOfFile   = "O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;" + installers.EdgeServiceSID + ")"
)

// closeFolder creates the data folder where there is none, and restricts it to
// rightsOfFolder: it holds the queue and its keys. Every user may create folders
// beside it, so an existing one may be of another user who bound the counter to
// another central: then nothing of it is used. In one of ours, folder and contents
// become the administrators', and other rights are removed.
func closeFolder(folder string) error {
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return fmt.Errorf("make the data folder: %w", err)
	}
	if err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		return ours(path)
	}); err != nil {
		return err
	}
	return filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("data folder: %w", err)
		}
		rights := rightsOfFile
		if d.IsDir() {
			rights = rightsOfFolder
		}
		if err := setRights(path, rights); err != nil {
			return fmt.Errorf("close %s to other users (run this as administrator): %w", path, err)
		}
		return nil
	})
}

// ours refuses what belongs to a user other than the administrators, the service,
// and who runs this.
func ours(path string) error {
	about, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("read the owner of %s: %w", path, err)
	}
	owner, _, err := about.Owner()
	if err != nil {
		return fmt.Errorf("read the owner of %s: %w", path, err)
	}
	runs, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("read the current user: %w", err)
	}
	service, err := windows.StringToSid(installers.EdgeServiceSID)
	if err != nil {
		return err
	}
	if owner != nil && (owner.IsWellKnown(windows.WinBuiltinAdministratorsSid) || owner.IsWellKnown(windows.WinLocalSystemSid) || owner.Equals(service) || owner.Equals(runs.User.Sid)) {
		return nil
	}
	return fmt.Errorf("%s was there already, and belongs to %s: whoever that is could have put anything into it. Remove it; or, where it is this counter's own, make it the administrators' (takeown /a /r /f) and start this again", path, owner)
}

// setRights sets owner and rights of a file or folder. It follows no link, whose
// creator could choose what else is changed.
func setRights(path, rights string) error {
	list, err := windows.SecurityDescriptorFromString(rights)
	if err != nil {
		return err
	}
	name, err := windows.UTF16PtrFromString(path)
	if err != nil {
		return err
	}
	const toItself = windows.FILE_FLAG_BACKUP_SEMANTICS | windows.FILE_FLAG_OPEN_REPARSE_POINT // the first opens folders
	h, err := windows.CreateFile(name, windows.READ_CONTROL|windows.WRITE_DAC|windows.WRITE_OWNER|windows.FILE_READ_ATTRIBUTES,
		windows.FILE_SHARE_READ|windows.FILE_SHARE_WRITE|windows.FILE_SHARE_DELETE, nil, windows.OPEN_EXISTING, toItself, 0)
	if err != nil {
		return err
	}
	var info windows.ByHandleFileInformation
	err = windows.GetFileInformationByHandle(h, &info)
	if err == nil && info.FileAttributes&windows.FILE_ATTRIBUTE_REPARSE_POINT != 0 {
		err = errors.New("it is a link, and the counter makes none: remove it")
	}
	if err == nil {
		err = windows.SetKernelObjectSecurity(h, windows.OWNER_SECURITY_INFORMATION|windows.DACL_SECURITY_INFORMATION|windows.PROTECTED_DACL_SECURITY_INFORMATION, list)
	}
	return errors.Join(err, windows.CloseHandle(h))
}

// checkDataOwner does nothing on Windows: what administrators create in the data
// folder inherits its rights, including the service's.
func checkDataOwner(string) error { return nil }
