package launcher

import (
	"errors"
	"fmt"
	"os"
	"unsafe"

	"golang.org/x/sys/windows"
)

// processJob holds a child to this process by a job of Windows: when its last handle is
// closed, which Windows does at this process's end however it comes, the child and
// all that it started end too.
type processJob struct{ job windows.Handle }

// bindChild ties a child that was just started.
func bindChild(child *os.Process) (*processJob, error) {
	job, err := windows.CreateJobObject(nil, nil)
	if err != nil {
		return nil, fmt.Errorf("make a job: %w", err)
	}
	b := &processJob{job}
	limits := windows.JOBOBJECT_EXTENDED_LIMIT_INFORMATION{
		BasicLimitInformation: windows.JOBOBJECT_BASIC_LIMIT_INFORMATION{LimitFlags: windows.JOB_OBJECT_LIMIT_KILL_ON_JOB_CLOSE},
	}
	_, err = windows.SetInformationJobObject(job, windows.JobObjectExtendedLimitInformation, uintptr(unsafe.Pointer(&limits)), uint32(unsafe.Sizeof(limits)))
	if err == nil {
		var assigned error
		err = child.WithHandle(func(handle uintptr) { assigned = windows.AssignProcessToJobObject(job, windows.Handle(handle)) })
		err = errors.Join(err, assigned)
	}
	if err != nil {
		b.release()
		return nil, fmt.Errorf("put process %d into its job: %w", child.Pid, err)
	}
	return b, nil
}

// release ends what is left of the child and its children.
func (b *processJob) release() { _ = windows.CloseHandle(b.job) } // nothing else holds it
