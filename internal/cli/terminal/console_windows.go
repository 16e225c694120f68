package terminal

import (
	"os"

	"golang.org/x/sys/windows"
)

// understands makes a console of Windows understand codes for colours, and reports whether it does, as all do since Windows 10.
func understands(f *os.File) bool {
	var mode uint32
	console := windows.Handle(f.Fd())
	return windows.GetConsoleMode(console, &mode) == nil && windows.SetConsoleMode(console, mode|windows.ENABLE_VIRTUAL_TERMINAL_PROCESSING) == nil
}
