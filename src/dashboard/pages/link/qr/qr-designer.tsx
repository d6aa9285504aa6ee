/**
 * Designer of a link's QR codes. The preview is drawn in the browser, by the same functions as the image that the API makes,
 * which has a token of its own. Loaded lazily, with the code that encodes symbols.
 */
import {
  Alert,
  Button,
  Grid,
  Group,
  Input,
  NumberInput,
  Paper,
  SegmentedControl,
  Select,
  Slider,
  Stack,
  Text,
  Title,
} from "@mantine/core";
import { useMutation } from "@tanstack/react-query";
import { useState } from "react";

import type { CreateQrCode, QrCode } from "../../../../core/contract/qr-codes.ts";
import type { Link } from "../../../../core/contract/links.ts";
import { QR_MARGIN_MAX_MODULES, QR_SIZE_MAX_PX, QR_SIZE_MIN_PX } from "../../../../core/qr/limits.ts";
import { ApiError, errorMessage } from "../../../api/api-error.ts";
import { unwrap, useApi } from "../../../api/client.ts";
import { notifySuccess } from "../../../notifications.ts";
import { ColorInputs } from "./color-inputs.tsx";
import { LogoInput } from "./logo-input.tsx";
import { QrCodeList } from "./qr-code-list.tsx";
import { QrPreview } from "./qr-preview.tsx";

type QrDesign = Required<Omit<CreateQrCode, "logo" | "link_id">> & { logo: string | null };

const DEFAULT_DESIGN: QrDesign = {
  format: "png",
  size: 512,
  fg: "#000000",
  bg: "#FFFFFF",
  margin: 4,
  ecc: "M",
  logo: null,
};

const ECC_OPTIONS = [
  { value: "L", label: "L: about 7 % may be damaged" },
  { value: "M", label: "M: about 15 %" },
  { value: "Q", label: "Q: about 25 %" },
  { value: "H", label: "H: about 30 %" },
] as const;

export default function QrDesigner({ link }: { link: Link }) {
  const { api } = useApi();
  const [design, setDesign] = useState(DEFAULT_DESIGN);
  const [created, setCreated] = useState<QrCode[]>([]);
  const create = useMutation({
    mutationFn: ({ logo, ...rest }: QrDesign) =>
      unwrap<QrCode>(api.qr.$post({ json: { link_id: link.id, ...rest, ...(logo === null ? {} : { logo }) } })),
    onSuccess: (code) => {
      setCreated((codes) => [code, ...codes]);
      notifySuccess("The code is made. Its image never changes.");
    },
  });
  const changeDesign = (change: Partial<QrDesign>) => {
    create.reset();
    setDesign((now) => ({ ...now, ...change }));
  };
  const effectiveDesign = design.logo === null ? design : { ...design, ecc: "H" as const };
  const { error } = create;
  const fieldErrors = error instanceof ApiError ? error.fieldErrors() : {};

  return (
    <Stack gap="lg">
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <ColorInputs colors={effectiveDesign} onChange={changeDesign} error={fieldErrors.fg ?? fieldErrors.bg} />
            <Group align="flex-start" grow preventGrowOverflow={false}>
              <NumberInput
                label="Size in pixels"
                description={`${QR_SIZE_MIN_PX} to ${QR_SIZE_MAX_PX}`}
                min={QR_SIZE_MIN_PX}
                max={QR_SIZE_MAX_PX}
                step={64}
                allowDecimal={false}
                clampBehavior="blur"
                value={design.size}
                error={fieldErrors.size}
                onChange={(size) => typeof size === "number" && changeDesign({ size })}
              />
              <Select
                label="Error correction"
                description={design.logo === null ? "More survives more dirt, and is denser" : "A logo needs the most"}
                data={ECC_OPTIONS}
                value={effectiveDesign.ecc}
                disabled={design.logo !== null}
                allowDeselect={false}
                onChange={(ecc) => ecc && changeDesign({ ecc })}
              />
            </Group>
            <Input.Wrapper
              label={`Margin: ${design.margin} modules`}
              description="Below 4, leave room around it where it is printed."
            >
              <Slider
                mt="xs"
                min={0}
                max={QR_MARGIN_MAX_MODULES}
                label={null}
                thumbLabel="Margin in modules"
                value={design.margin}
                onChange={(margin) => changeDesign({ margin })}
              />
            </Input.Wrapper>
            <LogoInput logo={design.logo} onChange={(logo) => changeDesign({ logo })} error={fieldErrors.logo} />
            <Group>
              <SegmentedControl
                aria-label="Format"
                data={[
                  { value: "png", label: "PNG" },
                  { value: "svg", label: "SVG" },
                ]}
                value={design.format}
                onChange={(format) => changeDesign({ format: format === "svg" ? "svg" : "png" })}
              />
              <Button onClick={() => create.mutate(effectiveDesign)} loading={create.isPending}>
                Create this code
              </Button>
            </Group>
            <CreateError error={error} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper withBorder p="md" component="section" aria-labelledby="preview-title">
            <Title order={2} size="h4" id="preview-title" mb="xs">
              Preview
            </Title>
            <QrPreview shortUrl={link.short_url} design={effectiveDesign} />
            <Text size="xs" c="dimmed" mt="xs">
              How it will look. Print the code that you create instead: only that one tells its scans from clicks.
            </Text>
          </Paper>
        </Grid.Col>
      </Grid>
      <QrCodeList linkId={link.id} created={created} />
    </Stack>
  );
}

function CreateError({ error }: { error: unknown }) {
  if (!error) return null;
  return (
    <Alert color="red" variant="light" role="alert" title="The code was not made">
      <Text size="sm">{errorMessage(error)}</Text>
    </Alert>
  );
}
