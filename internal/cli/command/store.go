package command

import (
	"fmt"
	"log/slog"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/mcp-docs-server/mcp-docs-server/internal/files/database"
	"github.com/mcp-docs-server/mcp-docs-server/internal/httpserver/auth"
)

// StoreVariable holds the URL of the store. It may contain a password, so it is never printed.
const StoreVariable = "MCP_DOCS_STORE"

// A StoreFlag is the options --store and --store-file, which name the store that replicas share.
type StoreFlag struct{ url string }

// Add declares the options.
func (f *StoreFlag) Add(flags *pflag.FlagSet) {
	flags.StringVar(&f.url, "store", "", "the `URL` of a PostgreSQL database that the replicas of a server share, without a password")
	flags.String("store-file", "", "a `FILE` with this URL, which may then have a password")
}

// Check returns an error for invalid options. It reads no file.
func (f *StoreFlag) Check(cmd *cobra.Command) error {
	_, variable := os.LookupEnv(StoreVariable)
	option := cmd.Flags().Changed("store")
	if cmd.Flags().Changed("store-file") && (option || variable) {
		other := StoreVariable
		if option {
			other = "--store"
		}
		return Misuse(other + " and --store-file both give the URL of the store: leave one of them out")
	}
	if !option {
		return nil
	}
	password, err := database.CheckURL(f.url)
	if err != nil {
		return Misuse("--store " + err.Error())
	}
	if password {
		return Misuse("--store has a password, which other users of this computer can see on the command line: " +
			"give the URL in " + StoreVariable + " or in a file with --store-file, or the password in a file that PGPASSFILE names")
	}
	return nil
}

// Secret returns a value that other users of this computer must not see, from a variable or from the file that an option names, and its source.
// what says what the value is.
func Secret(cmd *cobra.Command, variable, option, what string, logger *slog.Logger) (value, from string, given bool, err error) {
	value, given = os.LookupEnv(variable)
	if !cmd.Flags().Changed(option) {
		return value, variable, given, nil
	}
	if given {
		return "", "", false, Misuse(variable + " and --" + option + " both give " + what + ": leave one of them out")
	}
	file, _ := cmd.Flags().GetString(option) // it is a string
	data, err := auth.ReadFile(file, logger)
	return string(data), file, err == nil, err
}

// URL returns the URL of the store, or "" if neither an option nor the variable gives one.
func (f *StoreFlag) URL(cmd *cobra.Command, logger *slog.Logger) (string, error) {
	if err := f.Check(cmd); err != nil {
		return "", err
	}
	if cmd.Flags().Changed("store") {
		return f.url, nil
	}
	url, from, given, err := Secret(cmd, StoreVariable, "store-file", "the URL of the store", logger)
	if err != nil || !given {
		return "", err
	}
	if url = strings.TrimSpace(url); url == "" {
		return "", Misuse(fmt.Sprintf("%s is empty: give it the URL of the store, or leave it out", from))
	}
	if _, err := database.CheckURL(url); err != nil {
		return "", Misuse(from + " " + err.Error())
	}
	return url, nil
}
