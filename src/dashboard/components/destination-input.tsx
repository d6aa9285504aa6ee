/** Inputs of addresses, and of other texts that are used exactly as typed. */
import { TextInput, type TextInputProps } from "@mantine/core";

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
