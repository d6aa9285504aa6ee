/** QR code of a link from its row: the newest code to download, or a first one made at once. */
import { ActionIcon, Alert, Button, Group, Popover, Skeleton, Stack, Text, Tooltip } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link as RouterLink } from "wouter";

import type { Link } from "../../../core/contract/links.ts";
import type { QrCode } from "../../../core/contract/qr-codes.ts";
import { useAbortableMutation } from "../../api/mutations.ts";
import { errorMessage } from "../../api/api-error.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { linkName } from "../../formatting/hosts.ts";
import { IconDownload, IconQrcode } from "../../icons.tsx";
import { linkListTexts, qrPopoverTexts as texts } from "../../texts/links.ts";
import classes from "./qr-popover.module.css";

export function QrPopover({ link }: { link: Link }) {
  const [isOpen, { toggle, close }] = useDisclosure();
  const name = linkName(link);
  return (
    <Popover opened={isOpen} onDismiss={close} position="bottom-end" width={240} trapFocus withArrow>
      <Popover.Target>
        <Tooltip label={linkListTexts.qrCode} disabled={isOpen}>
          <ActionIcon variant="subtle" color="gray" aria-label={linkListTexts.qrCodeOf(name)} onClick={toggle}>
            <IconQrcode size={18} aria-hidden />
          </ActionIcon>
        </Tooltip>
      </Popover.Target>
      <Popover.Dropdown aria-label={linkListTexts.qrCodeOf(name)}>{isOpen && <QrPanel link={link} />}</Popover.Dropdown>
    </Popover>
  );
}

/** The newest code to download, or a button that makes a first one. */
export function QrPanel({ link }: { link: Link }) {
  const { api, mode } = useApi();
  const queries = useQueryClient();
  const key = [mode, "qr-newest", link.id];
  const newest = useQuery({
    queryKey: key,
    queryFn: async () => {
      const { data } = await unwrap(api.qr.$get({ query: { link_id: link.id, limit: "1" } }));
      return (data[0] as QrCode | undefined) ?? null;
    },
  });
  const create = useAbortableMutation({
    mutationFn: (_: void, signal) =>
      unwrap<QrCode>(api.qr.$post({ json: { link_id: link.id, size: 1_024 } }, { init: { signal } })),
    onSuccess: (code) => {
      queries.setQueryData(key, code);
      void queries.invalidateQueries({ queryKey: [mode, "qr"] });
    },
  });
  const error = create.error ?? (newest.data === undefined ? newest.error : null);
  return (
    <Stack gap="sm">
      {error && (
        <Alert color="red" variant="light" role="alert">
          {errorMessage(error)}
        </Alert>
      )}
      {newest.data && <NewestCode code={newest.data} slug={link.slug} />}
      {newest.isPending && <Skeleton height={160} />}
      {newest.data === null && (
        <>
          <Text size="sm">{texts.none}</Text>
          <Button size="xs" loading={create.isPending} onClick={() => create.mutate()}>
            {texts.make}
          </Button>
        </>
      )}
      {newest.error && newest.data === undefined && (
        <Button size="xs" variant="default" onClick={() => void newest.refetch()}>
          {texts.tryAgain}
        </Button>
      )}
      <Button size="xs" variant="default" component={RouterLink} to={`/links/${link.id}?tab=qr`}>
        {texts.design}
      </Button>
    </Stack>
  );
}

function NewestCode({ code: { url, format }, slug }: { code: QrCode; slug: string }) {
  const isSameOrigin = new URL(url, location.href).origin === location.origin;
  return (
    <>
      <img src={url} alt={texts.image} width={160} height={160} className={classes.image} />
      <Group grow>
        <Button
          size="xs"
          component="a"
          href={url}
          // Browsers ignore `download` for URLs of another origin, and open those.
          {...(isSameOrigin ? { download: `${slug}.${format}` } : { target: "_blank", rel: "noreferrer" })}
          leftSection={<IconDownload size={16} aria-hidden />}
        >
          {texts.download(format.toUpperCase())}
        </Button>
      </Group>
    </>
  );
}
