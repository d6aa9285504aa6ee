/** Shows its children to whoever is signed in. Everybody else is sent to sign in (query-client.ts sees the 401). */
import type { ReactNode } from "react";

import { useAccount } from "../api/account.ts";
import { ApiError } from "../api/api-error.ts";
import { PageSkeleton } from "../components/skeletons.tsx";
import { ErrorState } from "../components/states.tsx";

export function RequireAccount({ children }: { children: ReactNode }) {
  const account = useAccount();
  if (account.data) return children;
  if (account.error instanceof ApiError && account.error.code === "account_suspended") {
    return <ErrorState title="This account is suspended" error={account.error} />;
  }
  const isRedirecting = account.error instanceof ApiError && account.error.status === 401;
  return account.error && !isRedirecting ? (
    <ErrorState error={account.error} retry={() => void account.refetch()} />
  ) : (
    <PageSkeleton />
  );
}
