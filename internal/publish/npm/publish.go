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

	"github.com/mcp-docs-server/mcp-docs-server/internal/text/lazyregexp"
)

// PublishOptions are options of `npm publish`. For the zero value, npm uses publishConfig and its own configuration.
type PublishOptions struct {
	Tag        string // the tag that the version gets instead of latest
	Access     string // public or restricted
	OTP        string
	Provenance bool // only on CI systems that npm supports
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

// Publish returns the command that has npm upload a tarball. npm may ask the user for a password.
// An .npmrc in the working folder of the command sets the registry and the user.
func Publish(ctx context.Context, tarball string, o PublishOptions) (*exec.Cmd, error) {
	// npm treats a relative path as a folder or a name
	tarball, err := filepath.Abs(tarball)
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

// code matches the line in which npm names the kind of an error.
var code = lazyregexp.New(`(?m)^npm (?:error|ERR!) code (\S+)`)

// Explain returns in one sentence why npm did not publish a package, from what it wrote to standard error, or "" if the reason is not a
// usual one.
func Explain(said string, m Manifest) string {
	switch { // npm 11 asks the registry first, and names no code
	case strings.Contains(said, "previously published versions"), strings.Contains(said, "cannot publish over"):
		return exists(m)
	case strings.Contains(said, "Cannot implicitly apply the"):
		return fmt.Sprintf("the registry has a higher version of %s, which stays the latest one; publish version %s with --tag", m.Name, m.Version)
	}
	found := code().FindStringSubmatch(said)
	if found == nil {
		return ""
	}
	switch found[1] {
	case "ENEEDAUTH", "E401":
		return "npm has no account for the registry; run \"npm login\" first, or set a token in .npmrc"
	case "EPUBLISHCONFLICT", "E409":
		return exists(m)
	case "E403":
		return fmt.Sprintf("the registry does not let this account publish %s; if the name is somebody else's, write another \"package\" into mcp-docs-server.json", m.Name)
	case "E404":
		return fmt.Sprintf("the registry has no place for %s: this account may not publish under the name, or its scope does not exist; create the scope, or write another \"package\" into mcp-docs-server.json", m.Name)
	case "E402":
		return fmt.Sprintf("the registry takes private packages from paying accounts only; publish %s with --access public", m.Name)
	case "EOTP":
		return "the registry asks for a one-time password; give it with --otp"
	case "E413":
		return "the package is larger than the registry takes"
	case "ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "EHOSTUNREACH", "ERR_SOCKET_TIMEOUT", "FETCH_ERROR":
		return "the registry cannot be reached (" + found[1] + ")"
	}
	return ""
}

func exists(m Manifest) string {
	return fmt.Sprintf("the registry has version %s of %s already; write a higher \"version\" into mcp-docs-server.json", m.Version, m.Name)
}
