/**
 * QR codes of a link: those just created, and those scanned, which the statistics name. The API does not list codes.
 */
import { Anchor, Badge, Button, Group, Paper, Skeleton, Stack, Text, Title } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { useQuery } from "@tanstack/react-query";

import type { QrCode } from "../../../../core/contract/qr-codes.ts";
import type { Stats } from "../../../../core/contract/stats.ts";
import { NONE_KEY } from "../../../../core/clicks/facts.ts";
import { OTHER_KEY } from "../../../../core/clicks/groupings.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { formatDateTime } from "../../../formatting/dates.ts";
import { ErrorState } from "../../../components/states.tsx";
import { formatCount } from "../../../formatting/numbers.ts";
import classes from "./qr.module.css";

const SCANNED_CODES_MAX = 12;
const SCANS_REFRESH_MS = 10_000;

export function QrCodeList({ linkId, created }: { linkId: string; created: readonly QrCode[] }) {
  const scanned = useScannedQrIds(linkId);
  const ids = [...new Set([...created.map(({ id }) => id), ...scanned])];
  if (ids.length === 0) return null;
  return (
    <section aria-labelledby="codes-title">
      <Title order={2} size="h4" id="codes-title" mb={4}>
        Codes of this link
      </Title>
      <Text size="sm" c="dimmed" mb="sm">
        Those you have just made, and those that were scanned. Images are permanent: keep their addresses.
      </Text>
      <Stack gap="md">
        {ids.map((id) => (
          <QrCodeItem key={id} id={id} created={created.find((code) => code.id === id)} />
        ))}
      </Stack>
    </section>
  );
}

function useScannedQrIds(linkId: string): string[] {
  const { api, mode } = useApi();
  const { data } = useQuery({
    queryKey: [mode, "stats", linkId, "codes"],
    queryFn: () => unwrap<Stats>(api.links[":id"].stats.$get({ param: { id: linkId }, query: { group_by: "qr" } })),
  });
  const keys = data?.buckets.map(({ key }) => key) ?? [];
  return keys.filter((key) => key !== NONE_KEY && key !== OTHER_KEY).slice(0, SCANNED_CODES_MAX);
}

function QrCodeItem({ id, created }: { id: string; created: QrCode | undefined }) {
  const { api, mode } = useApi();
  const { data, error, refetch } = useQuery({
    queryKey: [mode, "qr", id],
    queryFn: () => unwrap<QrCode>(api.qr[":id"].$get({ param: { id } })),
    refetchInterval: SCANS_REFRESH_MS,
    ...(created ? { initialData: created } : {}),
  });
  if (error && !data) return <ErrorState error={error} retry={() => void refetch()} />;
  if (!data) return <Skeleton height={140} />;
  return <QrCodeCard code={data} />;
}

function QrCodeCard({ code }: { code: QrCode }) {
  const { id, format, size, url, scans, created_at, fg, bg } = code;
  const isSameOrigin = new URL(url, location.href).origin === location.origin;
  return (
    <Paper withBorder p="md" component="article" aria-label={`QR code ${id}`}>
      <Group align="flex-start" gap="md">
        <img src={url} alt={`QR code ${id}`} width={120} height={120} className={classes.image} />
        <Stack gap={6} className={classes.facts}>
          <Group gap="xs">
            <Badge variant="default">{format}</Badge>
            <Text size="sm">
              {size} px, {fg} on {bg}
            </Text>
          </Group>
          <Text size="sm" fw={500}>
            {formatCount(scans)} {scans === 1 ? "scan" : "scans"}
          </Text>
          <Anchor href={url} size="sm" target="_blank" rel="noreferrer" className={classes.address}>
            {url}
          </Anchor>
          <Text size="xs" c="dimmed">
            Created {formatDateTime(created_at)}
          </Text>
          <Group>
            <Button
              component="a"
              href={url}
              // Browsers ignore `download` for URLs of another origin, and open those.
              {...(isSameOrigin ? { download: `${id}.${format}` } : { target: "_blank", rel: "noreferrer" })}
              variant="default"
              size="xs"
              leftSection={<IconDownload size={16} aria-hidden />}
            >
              Download {format.toUpperCase()}
            </Button>
          </Group>
        </Stack>
      </Group>
    </Paper>
  );
}
