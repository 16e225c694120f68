package browser

import "syscall"

// endWithUs has the system end the browser when this process ends, however it does.
func endWithUs(a *syscall.SysProcAttr) { a.Pdeathsig = syscall.SIGKILL }
