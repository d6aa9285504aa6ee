/**
 * Designs QR codes of a link: what is picked is drawn at once, in the browser, by the same functions as the real image;
 * that one carries a token of its own and is made by the API. Loaded by itself, with the code that makes symbols.
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

import type { CreateQrCode, Link, QrCode } from "../../../../core/contract/contract.ts";
import { QR_MARGIN_MAX_MODULES, QR_SIZE_MAX_PX, QR_SIZE_MIN_PX } from "../../../../core/qr/limits.ts";
import { ApiError, messageOf } from "../../../api/api-error.ts";
import { answer, useApi } from "../../../api/client.ts";
import { ApiOnlyNote } from "../../../components/api-only-note.tsx";
import { notifyDone } from "../../../components/notify.ts";
import { ColorInputs } from "./color-inputs.tsx";
import { LogoInput } from "./logo-input.tsx";
import { Codes } from "./qr-codes.tsx";
import { QrPreview } from "./qr-preview.tsx";

type Design = Required<Omit<CreateQrCode, "logo" | "link_id">> & { logo: string | null };

const FIRST: Design = { format: "png", size: 512, fg: "#000000", bg: "#FFFFFF", margin: 4, ecc: "M", logo: null };

const LEVELS = [
  { value: "L", label: "L: about 7 % may be damaged" },
  { value: "M", label: "M: about 15 %" },
  { value: "Q", label: "Q: about 25 %" },
  { value: "H", label: "H: about 30 %" },
] as const;

export default function QrDesigner({ link }: { link: Link }) {
  const { api } = useApi();
  const [design, setDesign] = useState(FIRST);
  const [made, setMade] = useState<QrCode[]>([]);
  const create = useMutation({
    mutationFn: ({ logo, ...rest }: Design) =>
      answer<QrCode>(api.qr.$post({ json: { link_id: link.id, ...rest, ...(logo === null ? {} : { logo }) } })),
    onSuccess: (code) => {
      setMade((codes) => [code, ...codes]);
      notifyDone("The code is made. Its image never changes.");
    },
  });
  const set = (change: Partial<Design>) => {
    create.reset();
    setDesign((now) => ({ ...now, ...change }));
  };
  const shown = design.logo === null ? design : { ...design, ecc: "H" as const };
  const { error } = create;
  const fields = error instanceof ApiError ? error.fields() : {};

  return (
    <Stack gap="lg">
      <Grid>
        <Grid.Col span={{ base: 12, md: 7 }}>
          <Stack gap="md">
            <ColorInputs colors={shown} set={set} error={fields.fg ?? fields.bg} />
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
                error={fields.size}
                onChange={(size) => typeof size === "number" && set({ size })}
              />
              <Select
                label="Error correction"
                description={design.logo === null ? "More survives more dirt, and is denser" : "A logo needs the most"}
                data={LEVELS}
                value={shown.ecc}
                disabled={design.logo !== null}
                allowDeselect={false}
                onChange={(ecc) => ecc && set({ ecc })}
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
                onChange={(margin) => set({ margin })}
              />
            </Input.Wrapper>
            <LogoInput logo={design.logo} set={(logo) => set({ logo })} error={fields.logo} />
            <Group>
              <SegmentedControl
                aria-label="Format"
                data={[
                  { value: "png", label: "PNG" },
                  { value: "svg", label: "SVG" },
                ]}
                value={design.format}
                onChange={(format) => set({ format: format === "svg" ? "svg" : "png" })}
              />
              <Button onClick={() => create.mutate(shown)} loading={create.isPending}>
                Create this code
              </Button>
            </Group>
            <CreateProblem error={error} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 5 }}>
          <Paper withBorder p="md" component="section" aria-labelledby="preview-title">
            <Title order={2} size="h4" id="preview-title" mb="xs">
              Preview
            </Title>
            <QrPreview shortUrl={link.short_url} design={shown} />
            <Text size="xs" c="dimmed" mt="xs">
              How it will look. Print the code that you create instead: only that one tells its scans from clicks.
            </Text>
          </Paper>
        </Grid.Col>
      </Grid>
      <Codes linkId={link.id} made={made} />
    </Stack>
  );
}

function CreateProblem({ error }: { error: unknown }) {
  if (!error) return null;
  if (error instanceof ApiError && error.code === "link_not_api_created") {
    return (
      <Alert color="yellow" variant="light" role="alert" title="This link was made in the dashboard">
        <ApiOnlyNote />
      </Alert>
    );
  }
  return (
    <Alert color="red" variant="light" role="alert" title="The code was not made">
      <Text size="sm">{messageOf(error)}</Text>
    </Alert>
  );
}
