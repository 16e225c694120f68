package npm

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// PublishOptions are options of `npm publish`. For the zero value, npm uses publishConfig and its own configuration.
type PublishOptions struct {
	Tag        string // the tag that the version gets instead of latest
	Access     string // public or restricted
	OTP        string // a one-time password
	Provenance bool   // only on CI systems that npm supports
}

// Check returns an error for values that the Command Prompt, which starts npm on Windows, could misread. npm checks the rest.
func (o PublishOptions) Check() error {
	if o.Tag != "" && !distTag().MatchString(o.Tag) {
		return fmt.Errorf("--tag is %q, must be a word such as \"next\"", o.Tag)
	}
	if o.Access != "" && o.Access != "public" && o.Access != "restricted" {
		return fmt.Errorf("--access is %q, must be \"public\" or \"restricted\"", o.Access)
	}
	if strings.Trim(o.OTP, "0123456789") != "" {
		return errors.New("--otp must be the digits that the authenticator shows")
	}
	return nil
}

// errNoTool reports that npm cannot run.
var errNoTool = errors.New("npm is not installed; install Node.js (nodejs.org), which contains it, or only write the package with --output FILE.tgz")

// stopDelay is how long an interrupted npm may take to end before it is killed: a user who pressed
// Ctrl-C does not wait for a registry, and not every system has interrupts.
const stopDelay = 150 * time.Millisecond

// Publish returns the command that has npm upload a tarball. npm may ask the user for a password, and says itself why it does not publish.
// An .npmrc in the working folder of the command sets the registry and the user.
func Publish(ctx context.Context, tarball string, o PublishOptions) (*exec.Cmd, error) {
	tarball, err := filepath.Abs(tarball) // npm treats a relative path as a folder or a name
	if err != nil {
		return nil, err
	}
	path, err := exec.LookPath("npm")
	if err != nil {
		return nil, errNoTool
	}
	// Without these options, npm would retry for more than a minute without a network, and list the files again.
	cmd := exec.CommandContext(ctx, path, "publish", tarball, "--loglevel=error", "--fetch-retries=1", "--fetch-retry-mintimeout=1000")
	for _, option := range []struct{ name, value string }{{"--tag", o.Tag}, {"--access", o.Access}, {"--otp", o.OTP}} {
		if option.value != "" {
			cmd.Args = append(cmd.Args, option.name+"="+option.value)
		}
	}
	if o.Provenance {
		cmd.Args = append(cmd.Args, "--provenance")
	}
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopDelay
	return cmd, nil
}
