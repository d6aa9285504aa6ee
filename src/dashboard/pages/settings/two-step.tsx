/** The authenticator app of the account: adding and removing it, and its recovery codes. */
import { base32 } from "@better-auth/utils/base32";
import { Badge, Button, Code, Group, Modal, Skeleton, Stack, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useMemo, useState } from "react";

import type { RecoveryCodes } from "../../../core/contract/dashboard.ts";
import { hexOf } from "../../../core/encoding/bytes.ts";
import { matrixOf } from "../../../core/qr/matrix.ts";
import { apiClients, queryClient, unwrap } from "../../api/client.ts";
import { CopyIconButton, CopyTextButton, Hint, PlainButton, SmallButton } from "../../components/buttons.tsx";
import { TitledCard } from "../../components/card.tsx";
import { useLeavingGuard } from "../../components/leaving-guard.ts";
import { PasswordDialog } from "../../components/password-dialog.tsx";
import { Loaded } from "../../components/states.tsx";
import { downloadFile } from "../../files/download.ts";
import { formatDate } from "../../formatting/dates.ts";
import { notifySuccess } from "../../notifications.ts";
import { twoStepTexts as texts } from "../../texts/settings.ts";
import { buttonTexts, draftTexts } from "../../texts/shell.ts";
import { plainPath } from "../link/qr/qr-drawing.ts";

const QUERY_KEY = ["security"];
const { totp } = apiClients.live.account;

type Step = "add" | "remove" | "codes" | null;

export default function TwoStep({ email }: { email: string }) {
  const [step, setStep] = useState<Step>(null);
  const [codes, setCodes] = useState<readonly string[]>();
  const security = useQuery({
    queryKey: QUERY_KEY,
    queryFn: () => unwrap(apiClients.live.account.security.$get({ query: {} })),
  });
  const close = () => setStep(null);
  const finish = ({ recovery_codes }: Partial<RecoveryCodes> = {}) => {
    close();
    setCodes(recovery_codes);
    void queryClient.invalidateQueries({ queryKey: QUERY_KEY });
  };
  const app = security.data?.totp;
  return (
    <TitledCard title={texts.title} description={texts.hint} action={app && <Badge>{texts.on}</Badge>}>
      <Loaded query={security} skeleton={<Skeleton height={36} />}>
        {() =>
          app ? (
            <Group justify="space-between">
              <Text size="sm">
                {texts.added(formatDate(app.enabled_at))} {texts.codesLeft(app.recovery_codes_left)}
              </Text>
              <Group gap="xs">
                <SmallButton onClick={() => setStep("codes")}>{texts.newCodes}</SmallButton>
                <SmallButton onClick={() => setStep("remove")}>{texts.remove}</SmallButton>
              </Group>
            </Group>
          ) : (
            <PlainButton w="fit-content" onClick={() => setStep("add")}>
              {texts.add}
            </PlainButton>
          )
        }
      </Loaded>
      {step === "add" && <AddApp email={email} onDone={finish} onClose={close} />}
      {step === "codes" && (
        <PasswordDialog
          title={texts.newCodesTitle}
          submit={texts.newCodes}
          send={(json, _, init) => unwrap(totp["recovery-codes"].$post({ json }, init))}
          onDone={finish}
          onClose={close}
        >
          {texts.newCodesHint}
        </PasswordDialog>
      )}
      {step === "remove" && (
        <PasswordDialog
          title={texts.removeTitle}
          submit={texts.remove}
          isRemoval
          send={(json, _, init) => unwrap(totp.$delete({ json }, init))}
          onDone={() => {
            finish();
            notifySuccess(texts.removed);
          }}
          onClose={close}
        >
          {texts.removeHint}
        </PasswordDialog>
      )}
      {codes && <ShownCodes codes={codes} onClose={() => setCodes(undefined)} />}
    </TitledCard>
  );
}

const SECRET_BYTES = 20;
/** The quiet zone that scanners expect. */
const MARGIN_MODULES = 4;
const QR_PX = 200;

interface AddAppProps {
  email: string;
  onDone: (codes: RecoveryCodes) => void;
  onClose: () => void;
}

function AddApp({ email, onDone, onClose }: AddAppProps) {
  const [secret] = useState(() => crypto.getRandomValues(new Uint8Array(SECRET_BYTES)));
  const key = base32.encode(secret, { padding: false });
  const uri = `otpauth://totp/${encodeURIComponent(`Hoplink:${email}`)}?secret=${key}&issuer=Hoplink`;
  return (
    <PasswordDialog
      title={texts.addTitle}
      submit={texts.turnOn}
      field={{
        label: texts.code,
        missing: texts.codeMissing,
        inputMode: "numeric",
        autoComplete: "one-time-code",
        maxLength: 12,
      }}
      send={(body, code, init) =>
        unwrap(totp.$put({ json: { ...body, code: code.replaceAll(" ", ""), secret: hexOf(secret) } }, init))
      }
      onDone={onDone}
      onClose={onClose}
    >
      <Text size="sm">{texts.scan}</Text>
      <Group justify="center">
        <KeyCode text={uri} />
      </Group>
      <div>
        <Hint>{texts.key}</Hint>
        <Group gap="xs" wrap="nowrap">
          <Code style={{ overflowWrap: "anywhere" }}>{key.replaceAll(/.{4}(?=.)/g, "$& ")}</Code>
          <CopyIconButton value={key} label={texts.keyName} />
        </Group>
      </div>
    </PasswordDialog>
  );
}

/** Dark on light in both color schemes: many scanners read no other codes. */
function KeyCode({ text }: { text: string }) {
  const symbol = useMemo(() => matrixOf(text, "M"), [text]);
  const side = symbol.side + 2 * MARGIN_MODULES;
  const box = `-${MARGIN_MODULES} -${MARGIN_MODULES} ${side} ${side}`;
  return (
    <svg width={QR_PX} height={QR_PX} viewBox={box} role="img" aria-label={texts.qrCode} style={{ background: "#fff" }}>
      <path d={plainPath(symbol)} fill="#000" fillRule="evenodd" />
    </svg>
  );
}

function ShownCodes({ codes, onClose }: { codes: readonly string[]; onClose: () => void }) {
  useLeavingGuard(true, draftTexts.shownOnce);
  const text = codes.join("\n");
  return (
    <Modal opened onClose={onClose} title={texts.codesTitle} closeOnClickOutside={false} closeOnEscape={false}>
      <Stack>
        <Text size="sm">{texts.codesHint}</Text>
        <ul aria-label={texts.codesTitle} style={{ columns: 2, listStyle: "none", margin: 0, padding: 0 }}>
          {codes.map((code) => (
            <li key={code}>
              <Code fz="sm">{code}</Code>
            </li>
          ))}
        </ul>
        <Group justify="flex-end">
          <PlainButton onClick={() => downloadFile(texts.codesFile, new Blob([`${text}\n`], { type: "text/plain" }))}>
            {texts.download}
          </PlainButton>
          <CopyTextButton value={text} label={texts.codesName} />
          <Button onClick={onClose}>{buttonTexts.done}</Button>
        </Group>
      </Stack>
    </Modal>
  );
}
