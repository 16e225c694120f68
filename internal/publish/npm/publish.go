package npm

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/licences"
)

// PublishOptions are options of `npm publish`. For the zero value, npm uses publishConfig and its
// own configuration.
type PublishOptions struct {
	Tag        string // the tag that the version gets instead of latest
	Access     string // public or restricted
	OTP        string // a one-time password
	Provenance bool   // only on CI systems that npm supports
}

// Check returns an error for values that the Command Prompt, which starts npm on Windows, could misread. npm checks the rest.
func (o PublishOptions) Check() error {
	switch {
	case o.Tag != "" && !distTag().MatchString(o.Tag):
		return fmt.Errorf("--tag is %q, must be a word such as \"next\"", o.Tag)
	case o.Access != "" && o.Access != "public" && o.Access != "restricted":
		return fmt.Errorf("--access is %q, must be \"public\" or \"restricted\"", o.Access)
	case strings.Trim(o.OTP, "0123456789") != "":
		return errors.New("--otp must be the digits that the authenticator shows")
	}
	return nil
}

func (o PublishOptions) args() []string {
	var args []string
	for _, option := range []struct{ name, value string }{{"--tag", o.Tag}, {"--access", o.Access}, {"--otp", o.OTP}} {
		if option.value != "" {
			args = append(args, option.name+"="+option.value)
		}
	}
	if o.Provenance {
		args = append(args, "--provenance")
	}
	return args
}

// A Tool runs npm.
type Tool struct {
	Dir string // the working folder; an .npmrc there sets the registry and the user
	In  io.Reader
	Out io.Writer
	Err io.Writer
}

// errNoTool reports that npm cannot run.
var errNoTool = errors.New("npm is not installed; install Node.js (nodejs.org), which contains it, or only write the package with --output FILE.tgz")

// An exitError reports that npm ended with a code other than 0.
type exitError struct {
	command string
	code    int
}

func (e *exitError) Error() string {
	return fmt.Sprintf("npm %s ended with code %d", e.command, e.code)
}

// stopDelay is how long an interrupted npm may take to end before it is killed: a user who pressed
// Ctrl-C does not wait for a registry, and not every system has interrupts.
const stopDelay = 150 * time.Millisecond

func (t Tool) run(ctx context.Context, args ...string) error {
	path, err := exec.LookPath("npm")
	if err != nil {
		return errNoTool
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = t.Dir, t.In, t.Out, t.Err
	cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	cmd.WaitDelay = stopDelay
	if err := cmd.Run(); err != nil {
		if ctx.Err() != nil {
			return fmt.Errorf("npm %s: %w", args[0], ctx.Err())
		}
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			return &exitError{args[0], exit.ExitCode()}
		}
		return fmt.Errorf("npm %s: %w", args[0], err)
	}
	return nil
}

// Publish has npm upload a tarball.
func (t Tool) Publish(ctx context.Context, tarball string, o PublishOptions) error {
	tarball, err := filepath.Abs(tarball) // npm treats a relative path as a folder or a name
	if err != nil {
		return err
	}
	return t.run(ctx, append([]string{"publish", tarball}, o.args()...)...)
}

// absent holds the codes of npm for a package or a version that the registry does not have.
var absent = []string{"E404", "ETARGET", "ENOVERSIONS"}

// Published uses npm to ask the registry whether it has this version of a package. The error says
// why the answer is unknown.
func (t Tool) Published(ctx context.Context, name, version string) (bool, error) {
	var out, messages bytes.Buffer
	t.Out, t.Err = &out, &messages
	// Without these options, npm would retry for more than a minute without a network, and use a
	// cached answer.
	err := t.run(ctx, "view", name+"@"+version, "version", "--json", "--prefer-online",
		"--fetch-retries=1", "--fetch-retry-mintimeout=1000", "--fetch-timeout=20000")
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if _, ok := errors.AsType[*exitError](err); err != nil && !ok {
		return false, err
	}
	if err == nil {
		return strings.Contains(out.String(), version), nil // some releases of npm print nothing for a missing version
	}
	var answer struct {
		Error struct{ Code, Summary string }
	}
	if jsonErr := json.Unmarshal(out.Bytes(), &answer); jsonErr == nil && slices.Contains(absent, answer.Error.Code) {
		return false, nil
	}
	reason := cmp.Or(answer.Error.Summary, messages.String(), err.Error())
	reason, _, _ = strings.Cut(strings.TrimSpace(reason), "\n")
	return false, fmt.Errorf("npm view: %s", reason)
}

// Programs uses npm to fetch the programs of platforms from this version of their packages.
func (t Tool) Programs(ctx context.Context, platforms []Platform, version string) (Programs, error) {
	t.Out = io.Discard // npm prints the names of the files that it wrote
	fetched := Programs{Files: make(map[Platform]bundle.File)}
	for _, p := range platforms {
		program, texts, err := t.program(ctx, p, version)
		if err != nil {
			return Programs{}, err
		}
		fetched.add(p, program, texts)
	}
	if fetched.Licences == nil {
		fetched.Licences = licences.Files()
	}
	return fetched, nil
}

func (t Tool) program(ctx context.Context, p Platform, version string) (bundle.File, []bundle.File, error) {
	dir, err := os.MkdirTemp("", "mcp-docs-server-")
	if err != nil {
		return bundle.File{}, nil, err
	}
	defer os.RemoveAll(dir)
	spec := p.Package() + "@" + version
	if err := t.run(ctx, "pack", spec, "--pack-destination="+dir, "--loglevel=error"); err != nil {
		return bundle.File{}, nil, fmt.Errorf("%s: %w", spec, err)
	}
	tarballs, err := filepath.Glob(filepath.Join(dir, "*.tgz"))
	if err != nil || len(tarballs) != 1 {
		return bundle.File{}, nil, fmt.Errorf("%s: npm pack wrote %d packages, not 1", spec, len(tarballs))
	}
	f, err := os.Open(tarballs[0])
	if err != nil {
		return bundle.File{}, nil, err
	}
	defer f.Close()
	return ReadProgram(p, f)
}
