/** Inputs that several forms have: of addresses, of other texts that are used exactly as typed, and of files. */
import { FileButton, type FileButtonProps, TextInput, type TextInputProps } from "@mantine/core";
import { useRef } from "react";

import { readableUrl } from "../formatting/hosts.ts";
import { Hint } from "./buttons.tsx";
import { completeUrl } from "../../core/links/typed-url.ts";
import { linkListTexts } from "../texts/links.ts";

/** Browsers neither complete nor correct the text. */
export const ExactInput = TextInput.withProps({ autoComplete: "off", autoCapitalize: "none", spellCheck: false });

/** The input of a destination. Shows how it completes a text without a scheme; forms send the completed URL. */
export function DestinationInput({ value = "", ...input }: TextInputProps) {
  const typed = String(value);
  const url = completeUrl(typed);
  return (
    <TextInput
      type="url"
      placeholder="https://example.com/"
      inputContainer={(field) => (
        <>
          {field}
          <Hint role="status" style={{ overflowWrap: "anywhere" }}>
            {url === typed.trim() ? "" : linkListTexts.leadsTo(readableUrl(url))}
          </Hint>
        </>
      )}
      value={typed}
      {...input}
    />
  );
}

interface FilePickerProps extends Pick<FileButtonProps, "accept" | "children"> {
  onFile: (file: File) => void;
}

/** Opens the browser's dialog for one file. The same file can be chosen again, after it was edited or discarded. */
export function FilePicker({ onFile, ...button }: FilePickerProps) {
  const clear = useRef<() => void>(null);
  const choose = (file: File | null) => {
    clear.current?.();
    if (file) onFile(file);
  };
  return <FileButton resetRef={clear} onChange={choose} {...button} />;
}
