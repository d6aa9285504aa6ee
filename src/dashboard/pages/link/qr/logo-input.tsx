/** Chooses a logo file, and validates it before it is sent. */
import { Button, FileButton, Group, Input } from "@mantine/core";
import { useState } from "react";

import { LOGO_MAX_BYTES } from "../../../../core/qr/limits.ts";
import { qrTexts as texts } from "../../../texts/qr.ts";
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
    const result = await readLogoFile(file).catch(() => ({ fault: texts.logoUnreadable }));
    setFileError("fault" in result ? result.fault : null);
    if ("uri" in result) onChange(result.uri);
  };
  return (
    <Input.Wrapper
      label={texts.logo}
      description={texts.logoHint(LOGO_MAX_BYTES / 1024)}
      error={fileError ?? error}
      role="group"
      aria-label={texts.logo}
    >
      <Group mt="xs">
        <FileButton onChange={(file) => void readFile(file)} accept="image/png,image/jpeg,image/svg+xml">
          {(props) => (
            <Button variant="default" {...props}>
              {logo === null ? texts.chooseLogo : texts.changeLogo}
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
            {texts.removeLogo}
          </Button>
        )}
      </Group>
    </Input.Wrapper>
  );
}
