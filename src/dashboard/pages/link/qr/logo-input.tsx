/** Chooses a logo file, and validates it before it is sent. */
import { Button, FileButton, Group, Input } from "@mantine/core";
import { useState } from "react";

import { readLogoFile } from "./logo-file.ts";

interface LogoInputProps {
  logo: string | null;
  onChange: (logo: string | null) => void;
  error: string | undefined;
}

export function LogoInput({ logo, onChange, error }: LogoInputProps) {
  const [fileError, setFileError] = useState<string | null>(null);
  const readFile = async (file: File | null) => {
    if (!file) return;
    const result = await readLogoFile(file);
    setFileError("fault" in result ? result.fault : null);
    if ("uri" in result) onChange(result.uri);
  };
  return (
    <Input.Wrapper
      label="Logo"
      description="PNG, JPEG or an SVG of plain shapes, at most 64 KiB. It is drawn in the middle."
      error={fileError ?? error}
      role="group"
      aria-label="Logo"
    >
      <Group mt="xs">
        <FileButton onChange={(file) => void readFile(file)} accept="image/png,image/jpeg,image/svg+xml">
          {(props) => (
            <Button variant="default" {...props}>
              {logo === null ? "Choose a file" : "Choose another file"}
            </Button>
          )}
        </FileButton>
        {logo !== null && (
          <Button
            variant="subtle"
            color="gray"
            onClick={() => {
              setFileError(null);
              onChange(null);
            }}
          >
            Remove the logo
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}
