package bundle

import (
	"fmt"
	"os"
	"path"
)

// WriteFolder writes the files below a folder, which must be empty or not there yet. A name that the disk takes for that of
// another file, or does not take, is an error; what was written before stays.
func WriteFolder(dir string, files []File) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer root.Close()
	here, err := root.Open(".")
	if err != nil {
		return err
	}
	names, _ := here.Readdirnames(1)
	here.Close()
	if len(names) > 0 {
		return fmt.Errorf("%s: is not empty, and what is in it would be mixed with the package: name another folder, or empty it", dir)
	}
	for _, f := range files {
		if err := writeBelow(root, f); err != nil {
			return err
		}
	}
	return nil
}

func writeBelow(root *os.Root, f File) error {
	if err := root.MkdirAll(path.Dir(f.Name), 0o755); err != nil {
		return err
	}
	out, err := root.OpenFile(f.Name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, os.FileMode(f.Mode))
	if err != nil {
		return err
	}
	if err := f.Copy(out); err != nil {
		out.Close()
		return err
	}
	return out.Close()
}
