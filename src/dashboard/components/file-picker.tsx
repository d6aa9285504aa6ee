/** Opens the browser's dialog for one file. The same file can be chosen again, after it was edited or discarded. */
import { FileButton, type FileButtonProps } from "@mantine/core";
import { useRef } from "react";

interface FilePickerProps extends Pick<FileButtonProps, "accept" | "children"> {
  onFile: (file: File) => void;
}

export function FilePicker({ onFile, ...button }: FilePickerProps) {
  const clear = useRef<() => void>(null);
  const choose = (file: File | null) => {
    clear.current?.();
    if (file) onFile(file);
  };
  return <FileButton resetRef={clear} onChange={choose} {...button} />;
}
