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

// Owner and rights, in Windows' own notation, are the whole list of who may do
// what: Windows itself, administrators and the service. What is made in a folder
// later inherits the folder's.
const (
	rightsOfFolder = "O:BAD:P(A;OICI;FA;;;SY)(A;OICI;FA;;;BA)(A;OICI;FA;;;" + installers.EdgeServiceSID + ")"
	rightsOfFile   = "O:BAD:P(A;;FA;;;SY)(A;;FA;;;BA)(A;;FA;;;" + installers.EdgeServiceSID + ")"
)

// closeFolder makes the data folder where there is none, and lets in nobody but
// those of rightsOfFolder: the queue and its keys lie there. Every user may make
// folders beside it, so one that is there already may be somebody else's, who
// could have bound the counter to a central of their own: nothing of it is taken
// over. In one that is ours, folder and contents become the administrators' own,
// and whatever rights others had are gone.
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

// ours refuses what belongs to another user of this computer than the
// administrators, the service, and who runs this.
func ours(path string) error {
	about, err := windows.GetNamedSecurityInfo(path, windows.SE_FILE_OBJECT, windows.OWNER_SECURITY_INFORMATION)
	if err != nil {
		return fmt.Errorf("ask whose %s is: %w", path, err)
	}
	owner, _, err := about.Owner()
	if err != nil {
		return fmt.Errorf("ask whose %s is: %w", path, err)
	}
	runs, err := windows.GetCurrentProcessToken().GetTokenUser()
	if err != nil {
		return fmt.Errorf("ask who runs this: %w", err)
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

// setRights gives a file or folder its owner and rights, exactly. It follows no
// link: who may make one would choose what else is changed.
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

// anothers says nothing on Windows: what administrators make in the data folder
// inherits the folder's rights, and with them the service's.
func anothers(string) error { return nil }
