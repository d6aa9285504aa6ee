/** The QR codes of a link, newest first, with their scans. */
import { Anchor, Badge, Group, Paper, Stack, Text, Title } from "@mantine/core";

import type { QrCode } from "../../../../core/contract/qr-codes.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { NextPage } from "../../../components/next-page.tsx";
import { ErrorState, ListSkeleton } from "../../../components/states.tsx";
import { SmallButton } from "../../../components/buttons.tsx";
import { Hint } from "../../../components/hint.tsx";
import { downloadProps } from "../../../files/download.ts";
import { formatCount } from "../../../formatting/numbers.ts";
import { icon } from "../../../icons.tsx";
import { qrTexts as texts } from "../../../texts/qr.ts";
import classes from "./qr.module.css";
import { useQrCodes } from "./use-qr-codes.ts";

export function QrCodeList({ linkId }: { linkId: string }) {
  const pages = useQrCodes(linkId);
  const { data, error, refetch } = pages;
  if (!data)
    return error ? <ErrorState error={error} retry={() => void refetch()} /> : <ListSkeleton rows={1} height={150} />;
  // A code that was made meanwhile moves the others on: one may be on two pages.
  const codes = [...new Map(data.pages.flatMap((page) => page.data.map((code) => [code.id, code]))).values()];
  return (
    <section aria-labelledby="codes-title">
      <Title order={2} size="h4" id="codes-title" mb={4}>
        {texts.codes}
      </Title>
      <Hint mb="sm">{codes.length === 0 ? texts.noCodes : texts.codesHint}</Hint>
      <Stack gap="md" align="stretch">
        {codes.map((code) => (
          <QrCodeCard key={code.id} code={code} />
        ))}
        <NextPage pages={pages} label={texts.loadMore} />
      </Stack>
    </section>
  );
}

function QrCodeCard({ code }: { code: QrCode }) {
  const { id, format, size, url, scans, created_at, fg, bg } = code;
  return (
    <Paper withBorder p="md" component="article" aria-label={texts.code(id)}>
      <Group align="flex-start" gap="md">
        <img src={url} alt={texts.code(id)} loading="lazy" width={120} height={120} className={classes.image} />
        <Stack gap={6} className={classes.facts}>
          <Group gap="xs">
            <Badge variant="default" tt="uppercase">
              {format}
            </Badge>
            <Text size="sm">{texts.look(size, fg, bg)}</Text>
          </Group>
          <Text size="sm" fw={500}>
            {texts.scans(scans, formatCount(scans))}
          </Text>
          <Anchor href={url} size="sm" target="_blank" rel="noreferrer" className={classes.address}>
            {url}
          </Anchor>
          <Hint size="xs">{texts.createdAt(formatDateTime(created_at))}</Hint>
          <Group>
            <SmallButton component="a" {...downloadProps(url, `${id}.${format}`)} leftSection={icon("download", 16)}>
              {texts.download(format.toUpperCase())}
            </SmallButton>
          </Group>
        </Stack>
      </Group>
    </Paper>
  );
}
