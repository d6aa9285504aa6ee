/** The created link, and the usual next steps. */
import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useEffect, useRef, useState } from "react";
import { Link as RouterLink } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import { useAccount } from "../../api/account.ts";
import { CopyTextButton } from "../../components/copy-buttons.tsx";
import { Hint, PlainButton } from "../../components/buttons.tsx";
import { formatIn } from "../../formatting/dates.ts";
import { readableShortUrl, readableUrl } from "../../formatting/hosts.ts";
import { createLinkTexts as texts, linkListTexts } from "../../texts/links.ts";
import { buttonTexts } from "../../texts/shell.ts";
import { QrPanel } from "./qr-popover.tsx";

interface CreatedLinkProps {
  link: Link;
  onAnother: () => void;
  onClose: () => void;
}

export function CreatedLink({ link, onAnother, onClose }: CreatedLinkProps) {
  const { data: account } = useAccount();
  const [hasQrCode, { open: showQrCode }] = useDisclosure();
  const [isCopied, setCopied] = useState(false);
  const field = useRef<HTMLInputElement>(null);
  useEffect(() => {
    field.current?.select();
    // Some browsers refuse without a click. The button copies in any browser.
    navigator.clipboard?.writeText(link.short_url).then(
      () => setCopied(true),
      () => {},
    );
  }, [link.short_url]);
  return (
    <Stack>
      <TextInput
        ref={field}
        readOnly
        size="md"
        label={texts.address}
        description={<span role="status">{isCopied ? texts.copied : ""}</span>}
        inputWrapperOrder={["label", "input", "description"]}
        value={readableShortUrl(link)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          // The same key must not press the button that gets the focus back.
          event.preventDefault();
          onClose();
        }}
      />
      <Hint lineClamp={4} title={link.url} style={{ overflowWrap: "anywhere" }}>
        {linkListTexts.leadsTo(readableUrl(link.url))}
      </Hint>
      <NotOpenYet link={link} />
      <Group>
        <CopyTextButton value={link.short_url} label={texts.shortUrl} />
        <PlainButton component={RouterLink} to={`/links/${link.id}`}>
          {texts.open}
        </PlainButton>
        <PlainButton onClick={showQrCode} aria-expanded={hasQrCode}>
          {texts.qrCode}
        </PlainButton>
        {account?.plan === "premium" && (
          <PlainButton component={RouterLink} to={`/links/${link.id}?tab=rules`}>
            {texts.addRules}
          </PlainButton>
        )}
      </Group>
      {hasQrCode && <QrPanel link={link} />}
      <Group justify="flex-end">
        <Button variant="subtle" onClick={onAnother}>
          {texts.another}
        </Button>
        <Button variant="subtle" onClick={onClose}>
          {buttonTexts.done}
        </Button>
      </Group>
    </Stack>
  );
}

/** Without it, anyone who tries the link immediately would take the error page for a failure. */
function NotOpenYet({ link: { starts_at, fallback_url } }: { link: Link }) {
  if (starts_at === undefined || Date.parse(starts_at) <= Date.now()) return null;
  const time = formatIn("dateTimeToMinute", starts_at);
  return (
    <Text size="sm" lineClamp={3} style={{ overflowWrap: "anywhere" }}>
      {fallback_url === undefined ? texts.opens(time) : texts.opensWithFallback(time, fallback_url)}
    </Text>
  );
}
