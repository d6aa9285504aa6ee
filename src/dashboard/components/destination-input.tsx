/** The input of a destination. Says which URL it takes a text without a scheme for; forms send that one. */
import { Text, TextInput, type TextInputProps } from "@mantine/core";

import { readableUrl } from "../formatting/hosts.ts";
import { completeUrl } from "../formatting/typed-url.ts";
import { destinationTexts } from "../texts/link-form.ts";

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
          <Text role="status" size="sm" c="dimmed" style={{ overflowWrap: "anywhere" }}>
            {url === typed.trim() ? "" : destinationTexts.leadsTo(readableUrl(url))}
          </Text>
        </>
      )}
      value={typed}
      {...input}
    />
  );
}
