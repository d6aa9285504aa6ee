/** Explains that QR codes and the live stream need a link created through the API, and how to create one. */
import { Anchor, Code, Text } from "@mantine/core";
import { Link } from "wouter";

import { useMode } from "../mode.tsx";

export function ApiOnlyNote() {
  const { mode } = useMode();
  return (
    <>
      <Text size="sm">
        QR codes and the live stream need a link that was made through the API. Links made here redirect, follow rules
        and count clicks all the same.
      </Text>
      <Text size="sm" mt="xs">
        To make one, take a {mode} key from{" "}
        <Anchor component={Link} to="/settings/api-keys" inherit c="inherit" underline="always">
          Settings, API keys
        </Anchor>
        , then:
      </Text>
      <Code block mt="xs" tabIndex={0} aria-label="Command that makes a link">
        {`curl ${location.origin}/v1/links \\
  -H "Authorization: Bearer svc_${mode}_…" \\
  -H "Content-Type: application/json" \\
  -d '{"url":"https://example.com/"}'`}
      </Code>
    </>
  );
}
