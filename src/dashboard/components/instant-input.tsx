/** The input of an instant in the browser's time zone, with a button that clears it: phones have no other way. */
import { Button, Group, TextInput, type TextInputProps } from "@mantine/core";

import { instantTexts as texts } from "../texts/link-form.ts";

interface InstantInputProps extends TextInputProps {
  label: string;
  value?: string;
  onClear: () => void;
}

export function InstantInput({ onClear, ...input }: InstantInputProps) {
  return (
    <Group align="flex-end" wrap="nowrap" gap="xs">
      <TextInput type="datetime-local" step={1} max="9998-12-31T23:59:59" flex={1} miw={0} {...input} />
      <Button
        variant="default"
        px="sm"
        disabled={!input.value}
        aria-label={texts.clear(input.label)}
        mb={input.error ? "lg" : 0}
        onClick={onClear}
      >
        {texts.clearShort}
      </Button>
    </Group>
  );
}
