/** Dialog that creates a one-time link for an account holder. */
import type { ManagedAccount, ResetLink } from "../../../core/contract/operator.ts";
import type { ResetKind } from "../../../core/identifiers.ts";
import { apiClients, unwrap } from "../../api/client.ts";
import { PasswordDialog } from "../../components/password-dialog.tsx";
import { operatorAccountTexts as texts } from "../../texts/operator.ts";

interface CreateResetProps {
  account: ManagedAccount;
  kind: ResetKind;
  onDone: (link: ResetLink) => void;
  onClose: () => void;
}

export default function CreateReset({ account: { id }, kind, onDone, onClose }: CreateResetProps) {
  const { reset } = apiClients.live.deployment.accounts[":id"];
  return (
    <PasswordDialog
      title={texts.reset[kind]}
      submit={texts.createLink}
      send={(body, _, init) => unwrap(reset.$post({ param: { id }, json: { ...body, kind } }, init))}
      onDone={onDone}
      onClose={onClose}
    >
      {texts.resetHint[kind]}
    </PasswordDialog>
  );
}
