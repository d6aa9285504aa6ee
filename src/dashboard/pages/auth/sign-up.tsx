/** Make an account, unless the operator has closed that. */
import { Anchor, Button, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useMutation, useQuery } from "@tanstack/react-query";
import { Link, useLocation, useSearch } from "wouter";

import { PASSWORD_MIN_CHARS } from "../../../core/limits.ts";
import { type Config, configQuery, freshStart } from "../../api/account.ts";
import { ApiError } from "../../api/api-error.ts";
import { auth, authAnswer } from "../../api/auth.ts";
import { FormProblem } from "../../components/form-problem.tsx";
import { ListSkeleton } from "../../components/skeletons.tsx";
import { ErrorState } from "../../components/states.tsx";
import { AuthFrame } from "./auth-frame.tsx";
import { nextPath } from "./next.ts";
import { OtherWays } from "./other-ways.tsx";
import { passwordFault } from "./password.ts";

export default function SignUp() {
  const search = useSearch();
  const config = useQuery(configQuery);
  return (
    <AuthFrame
      title="Sign up"
      below={
        <>
          Have an account?{" "}
          <Anchor component={Link} to={`/sign-in${search ? `?${search}` : ""}`} inherit>
            Sign in
          </Anchor>
        </>
      }
    >
      {config.isPending && <ListSkeleton rows={3} />}
      {config.error && <ErrorState error={config.error} retry={() => void config.refetch()} />}
      {config.data?.signups === "closed" && <Text>New accounts are closed here. Ask whoever runs this service.</Text>}
      {config.data?.signups === "open" && <SignUpForm config={config.data} next={nextPath(search)} />}
    </AuthFrame>
  );
}

function SignUpForm({ config, next }: { config: Config; next: string }) {
  const [, navigate] = useLocation();
  const form = useForm({
    initialValues: { name: "", email: "", password: "" },
    validate: {
      email: (value) => (value.trim() ? null : "Enter your e-mail address"),
      password: passwordFault,
    },
  });
  const enter = useMutation({
    mutationFn: () => {
      const { name, email, password } = form.getValues();
      return authAnswer(auth.signUp.email({ name: name.trim(), email: email.trim(), password }));
    },
    onSuccess: () => {
      freshStart();
      navigate(next, { replace: true });
    },
    onError: (error) => showError(error),
  });

  function showError(error: unknown) {
    if (error instanceof ApiError) form.setErrors(error.fields());
  }

  return (
    <>
      <form onSubmit={form.onSubmit(() => enter.mutate())} noValidate>
        <Stack>
          <FormProblem error={enter.error} />
          <TextInput label="Name" autoComplete="name" {...form.getInputProps("name")} />
          <TextInput label="E-mail" type="email" autoComplete="username" required {...form.getInputProps("email")} />
          <PasswordInput
            label="Password"
            description={`At least ${PASSWORD_MIN_CHARS} characters`}
            autoComplete="new-password"
            required
            {...form.getInputProps("password")}
          />
          <Button type="submit" loading={enter.isPending}>
            Sign up
          </Button>
        </Stack>
      </form>
      <OtherWays config={config} next={next} onError={showError} />
    </>
  );
}
