/** How the link will look on social networks, which read it from the destination. Fetched by the service when asked. */
import { Button, Image, Paper, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import type { PagePreview } from "../../../core/contract/dashboard.ts";
import { unwrap, useApi } from "../../api/client.ts";
import { errorMessage } from "../../api/api-error.ts";
import { completeUrl } from "../../formatting/typed-url.ts";
import { readableHost } from "../../formatting/hosts.ts";
import { linkPreviewTexts as texts } from "../../texts/link-form.ts";
import { FormSection } from "./form-sections.tsx";

const STALE_MS = 300_000;

export function PreviewSection({ url }: { url: string }) {
  const { api } = useApi();
  const destination = completeUrl(url);
  const [shownUrl, setShownUrl] = useState("");
  const isShown = shownUrl !== "" && shownUrl === destination;
  const preview = useQuery({
    queryKey: ["preview", shownUrl],
    queryFn: (): Promise<PagePreview> => unwrap(api.previews.$post({ json: { url: shownUrl } })),
    enabled: isShown,
    staleTime: STALE_MS,
    retry: false,
  });
  const canShow = URL.canParse(destination);
  return (
    <FormSection title={texts.title} summary="">
      <Text size="sm" c="dimmed">
        {canShow ? texts.hint : texts.needsUrl}
      </Text>
      {!isShown && (
        <Button
          variant="default"
          size="xs"
          disabled={!canShow}
          onClick={() => setShownUrl(destination)}
          w="fit-content"
        >
          {texts.show}
        </Button>
      )}
      {isShown && preview.isPending && <Skeleton height={120} aria-label={texts.loading} />}
      {isShown && preview.isError && (
        <Stack gap="xs" align="start">
          <Text size="sm" c="red" role="alert">
            {errorMessage(preview.error)}
          </Text>
          <Button variant="default" size="xs" onClick={() => void preview.refetch()}>
            {texts.tryAgain}
          </Button>
        </Stack>
      )}
      {isShown && preview.data && <PreviewCard preview={preview.data} url={destination} />}
    </FormSection>
  );
}

function PreviewCard({
  preview: { title, description, site_name, image },
  url,
}: {
  preview: PagePreview;
  url: string;
}) {
  const [failedImage, setFailedImage] = useState("");
  if (title === null && description === null && image === null) return <Text size="sm">{texts.nothing}</Text>;
  return (
    <Paper withBorder component="figure" m={0} maw={420} aria-label={texts.title}>
      {image !== null && image !== failedImage && (
        <Image
          src={`/dashboard/api/previews/image?${new URLSearchParams({ url: image })}`}
          alt=""
          h={180}
          fit="cover"
          onError={() => setFailedImage(image)}
        />
      )}
      <Stack gap={2} p="sm">
        <Text size="xs" c="dimmed" truncate>
          {site_name ?? readableHost(new URL(url).hostname)}
        </Text>
        <Text size="sm" fw={600} lineClamp={2}>
          {title ?? readableHost(new URL(url).hostname)}
        </Text>
        {description !== null && (
          <Text size="sm" c="dimmed" lineClamp={2}>
            {description}
          </Text>
        )}
      </Stack>
    </Paper>
  );
}
