package browser

import "syscall"

// endWithUs makes the system end the browser with this process, even if that is killed.
func endWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
