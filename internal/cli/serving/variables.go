package serving

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/command"
	"github.com/mcp-docs-server/mcp-docs-server/internal/cli/webaccess"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/metrics"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/web"
	"github.com/mcp-docs-server/mcp-docs-server/internal/text/nearest"
)

// variablePrefix begins the names of variables that set options of serve.
const variablePrefix = "MCP_DOCS_"

// secrets holds the variables without an option, because other users can see a command line. Their
// values are never printed.
var secrets = []string{auth.TokenVariable, metrics.KeyVariable, sessionVariable}

// withoutVariable holds the options without a variable.
var withoutVariable = []string{"help", "version", "print-config", "licenses"}

// variableOf returns the variable of an option.
func variableOf(name string) string {
	return variablePrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
}

// optionNames returns the names of the options of a command that have a variable, sorted.
func optionNames(cmd *cobra.Command) []string {
	var names []string
	cmd.Flags().VisitAll(func(f *pflag.Flag) { // in order
		if !f.Hidden && !slices.Contains(withoutVariable, f.Name) {
			names = append(names, f.Name)
		}
	})
	return names
}

// readVariables sets options that are not on the command line to the values of their variables.
func (a *app) readVariables(cmd *cobra.Command) error {
	flags := cmd.Flags()
	for _, name := range optionNames(cmd) {
		if variableOf(name) == command.StoreVariable { // command.StoreFlag reads it: its value may have a password
			continue
		}
		value, ok := os.LookupEnv(variableOf(name))
		if !ok || flags.Changed(name) {
			continue
		}
		if value == "" {
			return command.Misuse(fmt.Sprintf("%s is empty: give it a value, or unset it", variableOf(name)))
		}
		if name == "http" && (value == "1" || value == "true") {
			value = defaultAddr
		}
		if err := flags.Set(name, value); err != nil {
			return command.Misuse(fmt.Sprintf("%s: %s", variableOf(name), command.FlagReason(err)))
		}
		a.fromVariable = append(a.fromVariable, name)
	}
	a.nameUnknown(cmd)
	if !flags.Changed("http") {
		return nil
	}
	if flags.Lookup("http").Value.String() == defaultAddr {
		addr := web.DefaultAddr
		if port, ok := os.LookupEnv("PORT"); ok {
			if _, err := strconv.ParseUint(port, 10, 16); err != nil {
				return command.Misuse(fmt.Sprintf("PORT is %q: it must be a number from 0 to 65535", port))
			}
			addr, a.fromPort = "127.0.0.1:"+port, true
		}
		if err := flags.Set("http", addr); err != nil {
			return err
		}
	}
	return nil
}

// nameUnknown names the environment variables that begin like the variables of options but belong to no option. They do
// not stop the server: another version may read them.
func (a *app) nameUnknown(cmd *cobra.Command) {
	known := slices.Clone(secrets)
	for _, name := range optionNames(cmd) {
		known = append(known, variableOf(name))
	}
	for _, variable := range os.Environ() {
		name, _, _ := strings.Cut(variable, "=")
		if strings.HasPrefix(name, variablePrefix) && !slices.Contains(known, name) {
			a.Say("the variable %s has no effect%s", command.Printable(name), nearest.Meant(name, known))
		}
	}
}

// printConfig prints the options in effect and the origin of each value.
func (a *app) printConfig(cmd *cobra.Command) error {
	var b strings.Builder
	for _, name := range optionNames(cmd) {
		f := cmd.Flags().Lookup(name)
		from, value := "default", f.Value.String()
		switch {
		case variableOf(name) == command.StoreVariable: // the URL is not printed
			switch {
			case f.Changed:
				from, value = "command line", "set"
			case variable(command.StoreVariable) != nil:
				from, value = command.StoreVariable, "set"
			}
		case name == "http" && a.fromPort:
			from = "PORT"
		case slices.Contains(a.fromVariable, name):
			from = variableOf(name)
		case f.Changed:
			from = "command line"
		}
		fmt.Fprintf(&b, "%-21s %s (%s)\n", name, cmp.Or(value, "-"), from)
	}
	webaccess.Describe(&b, secrets)
	_, err := fmt.Fprint(a.Streams.Out, b.String())
	return err
}
