/** Sign-in with e-mail and password, or without a password. */
import { Alert, Anchor, Button, PasswordInput, Stack, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import { configQuery, clearQueryCache } from "../../api/account.ts";
import { ApiError, errorMessage } from "../../api/api-error.ts";
import { authClient, unwrapAuth } from "../../api/auth.ts";
import { AuthLayout } from "./auth-layout.tsx";
import { returnPath } from "./return-path.ts";
import { AlternativeSignIn } from "./alternative-sign-in.tsx";

/** Error codes that the redirect from GitHub or Google carries. */
const PROVIDER_ERRORS: Record<string, string> = {
  signup_disabled: "New accounts are closed here. Sign in with an account that you have.",
  account_not_linked: "There is an account with this e-mail address already. Sign in with its password.",
  access_denied: "Sign-in was cancelled",
};

export default function SignIn() {
  const search = useSearch();
  const [, navigate] = useLocation();
  const returnTo = returnPath(search);
  const providerError = new URLSearchParams(search).get("error");
  const config = useQuery(configQuery);
  const form = useForm({
    initialValues: { email: "", password: "" },
    validate: {
      email: (value) => (value.trim() ? null : "Enter your e-mail address"),
      password: (value) => (value ? null : "Enter your password"),
    },
  });

  const signIn = useMutation({
    mutationFn: async (way: "password" | "passkey") => {
      const { email, password } = form.getValues();
      if (way === "passkey") await unwrapAuth(authClient.signIn.passkey());
      else await unwrapAuth(authClient.signIn.email({ email: email.trim(), password }));
    },
    onSuccess: () => {
      clearQueryCache();
      navigate(returnTo, { replace: true });
    },
    onError: (error) => showFieldErrors(error),
  });

  function showFieldErrors(error: unknown) {
    if (error instanceof ApiError) form.setErrors(error.fieldErrors());
  }

  const isShownAtFields = signIn.error instanceof ApiError && signIn.error.problems.length > 0;
  const formError =
    signIn.error && !isShownAtFields
      ? errorMessage(signIn.error)
      : providerError && (PROVIDER_ERRORS[providerError.toLowerCase()] ?? "Signing in there did not work. Try again.");

  return (
    <AuthLayout
      title="Sign in"
      footer={
        config.data?.signups === "closed" ? (
          "New accounts are closed here"
        ) : (
          <>
            No account yet?{" "}
            <Anchor component={Link} to={`/sign-up${search ? `?${search}` : ""}`} inherit>
              Sign up
            </Anchor>
          </>
        )
      }
    >
      <form onSubmit={form.onSubmit(() => signIn.mutate("password"))} noValidate>
        <Stack>
          {formError && (
            <Alert color="red" role="alert">
              {formError}
            </Alert>
          )}
          <TextInput
            label="E-mail"
            type="email"
            autoComplete="username webauthn"
            required
            key={form.key("email")}
            {...form.getInputProps("email")}
          />
          <PasswordInput
            label="Password"
            autoComplete="current-password"
            required
            key={form.key("password")}
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={signIn.isPending}>
            Sign in
          </Button>
        </Stack>
      </form>
      {config.data && (
        <AlternativeSignIn
          config={config.data}
          returnTo={returnTo}
          onPasskey={() => signIn.mutate("passkey")}
          onError={showFieldErrors}
        />
      )}
    </AuthLayout>
  );
}
