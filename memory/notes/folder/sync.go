package folder

import (
	"fmt"
	"os"
	"path/filepath"
	"runtime"
)

// syncFolder waits until what a folder lists is on the disk. Windows does so by
// itself and opens no folder for it.
func syncFolder(root *os.Root, dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := root.Open(filepath.Join(".", dir))
	if err != nil {
		return fmt.Errorf("open the folder: %w", err)
	}
	defer f.Close()
	if err := f.Sync(); err != nil {
		return fmt.Errorf("sync the folder: %w", err)
	}
	return nil
}
