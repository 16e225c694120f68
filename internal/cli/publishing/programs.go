package publishing

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/mod/module"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/bundle"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/executable"
	"github.com/mcp-docs-server/mcp-docs-server/internal/publish/npm"
)

// programs finds the programs of platforms in the folder of --binaries or, without that option,
// fetches them with npm.
func (a *app) programs(ctx context.Context, r *publication, o publishing, platforms []npm.Platform) (npm.Programs, error) {
	if r.binaries != nil {
		if o.programs.version != "" {
			if _, err := cliVersion(o.programs.version, ""); err != nil {
				return npm.Programs{}, err
			}
		}
		programs, err := npm.FindPrograms(r.binaries, platforms, o.programs.version)
		if err == nil {
			err = expect(programs.Files)
		}
		if err != nil {
			return npm.Programs{}, fmt.Errorf("--binaries %s: %w", o.programs.binaries, err)
		}
		return attended(ctx, r, programs), nil
	}
	version, err := cliVersion(o.programs.version, command.Version())
	if err != nil {
		return npm.Programs{}, fmt.Errorf("%w; or name the folder of the programs with --binaries DIR", err)
	}
	programs, err := a.tool(r.project, o).Programs(ctx, platforms, version)
	if err != nil {
		return npm.Programs{}, err
	}
	return attended(ctx, r, programs), expect(programs.Files)
}

// attended wraps programs to count the bytes that are read, and to fail once ctx has ended.
func attended(ctx context.Context, r *publication, programs npm.Programs) npm.Programs {
	for platform, program := range programs.Files {
		programs.Files[platform] = program.Attended(ctx, r.line.Add)
	}
	return programs
}

// expect returns an error for programs that are not for their platform.
func expect(programs map[npm.Platform]bundle.File) error {
	var errs []error
	for _, p := range slices.SortedFunc(maps.Keys(programs), func(a, b npm.Platform) int { return strings.Compare(a.String(), b.String()) }) {
		errs = append(errs, executable.Expect(p.String(), programs[p]))
	}
	return errors.Join(errs...)
}

// programsFor is [app.programs] for platforms with the names of package executable.
func (a *app) programsFor(ctx context.Context, r *publication, o publishing, names []string) (programs map[string]bundle.File, licences []bundle.File, err error) {
	platforms, err := npm.ParsePlatforms(strings.Join(names, ","))
	if err != nil {
		return nil, nil, err
	}
	found, err := a.programs(ctx, r, o, platforms)
	if err != nil {
		return nil, nil, err
	}
	programs = make(map[string]bundle.File, len(found.Files))
	for p, program := range found.Files {
		programs[p.String()] = program
	}
	return programs, found.Licences, nil
}

// cliVersion returns the version of this program's package on which other packages depend: the given
// version, or the version of this program if it is a release.
func cliVersion(given, current string) (string, error) {
	if given != "" {
		if err := npm.CheckVersion(given); err != nil {
			return "", command.Misuse("--cli-version: " + err.Error())
		}
		return given, nil
	}
	current = strings.TrimPrefix(current, "v")
	if npm.CheckVersion(current) != nil || module.IsPseudoVersion("v"+current) {
		return "", fmt.Errorf("this program has the version %q, which is not a release, so %s does not exist in that version; give the version to use, as in --cli-version 1.0.0", current, npm.CLI)
	}
	return current, nil
}
