/** Chooses a logo, and says at once when it cannot be one. */
import { Button, FileButton, Group, Input } from "@mantine/core";
import { useState } from "react";

import { readLogo } from "./read-logo.ts";

interface LogoProps {
  logo: string | null;
  set: (logo: string | null) => void;
  error: string | undefined;
}

export function LogoInput({ logo, set, error }: LogoProps) {
  const [fault, setFault] = useState<string | null>(null);
  const read = async (file: File | null) => {
    if (!file) return;
    const result = await readLogo(file);
    setFault("fault" in result ? result.fault : null);
    if ("uri" in result) set(result.uri);
  };
  return (
    <Input.Wrapper
      label="Logo"
      description="PNG, JPEG or an SVG of plain shapes, at most 64 KiB. It is drawn in the middle."
      error={fault ?? error}
      role="group"
      aria-label="Logo"
    >
      <Group mt="xs">
        <FileButton onChange={(file) => void read(file)} accept="image/png,image/jpeg,image/svg+xml">
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
              setFault(null);
              set(null);
            }}
          >
            Remove the logo
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}
