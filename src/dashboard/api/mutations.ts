/** Mutations of the API: one at a time, and aborted with the dialog or form that sent them. */
import {
  type DefaultError,
  type QueryKey,
  useMutation,
  type UseMutationOptions,
  type UseMutationResult,
} from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { queryClient } from "./client.ts";
import { notifyError, notifySuccess } from "../notifications.ts";
import { newIdempotencyKey } from "./waits.ts";

/**
 * A mutation that runs once at a time. The second click of a double click arrives before the button is disabled, and
 * would create a second link or code.
 * @param subjectOf  what a call changes: calls for different subjects run at the same time
 */
export function useSingleMutation<Data, Variables = void>(
  options: UseMutationOptions<Data, DefaultError, Variables>,
  subjectOf: (variables: Variables) => unknown = () => null,
): UseMutationResult<Data, DefaultError, Variables> {
  const running = useRef(new Set<unknown>());
  const mutation = useMutation({
    ...options,
    onSettled: (...settled) => {
      running.current.delete(subjectOf(settled[2]));
      return options.onSettled?.(...settled);
    },
  });
  const mutate: typeof mutation.mutate = (...call) => {
    const subject = subjectOf(call[0] as Variables);
    if (running.current.has(subject)) return;
    running.current.add(subject);
    mutation.mutate(...call);
  };
  return { ...mutation, mutate };
}

export interface NotifiedMutation<T, V> {
  mutationFn: (variables: V) => Promise<T>;
  /** The success message. */
  done: (variables: V) => string;
  /** The title of the error message. */
  failed: string;
  /** Queries to invalidate afterwards. */
  refreshed: QueryKey;
  /** Called before the queries are invalidated. */
  onSuccess?: () => void;
  /** Replaces an error with one that has a better message. */
  explain?: (error: Error) => Error;
  subjectOf?: (variables: V) => unknown;
}

/** A mutation that reports its result in a toast. */
export function useNotifiedMutation<T, V = void>(mutation: NotifiedMutation<T, V>): UseMutationResult<T, Error, V> {
  const { mutationFn, done, failed, refreshed, onSuccess, explain = (error) => error, subjectOf } = mutation;
  const refresh = () => queryClient.invalidateQueries({ queryKey: refreshed });
  return useSingleMutation(
    {
      mutationFn,
      onSuccess: (_, variables) => {
        notifySuccess(done(variables));
        onSuccess?.();
        return refresh();
      },
      onError: (error) => {
        notifyError(failed, explain(error));
        // The response may be lost, or another tab has deleted what was changed.
        void refresh();
      },
    },
    subjectOf,
  );
}

interface AbortableMutation<T, V> {
  mutationFn: (variables: V, signal: AbortSignal) => Promise<T>;
  onSuccess?: (data: T, variables: V) => unknown;
  onError?: (error: Error) => unknown;
}

/**
 * A mutation of a dialog or form. Closing it aborts the request, and nothing follows: no message, navigation or other
 * dialog. The request may have reached the server, so the data on the page is fetched again.
 */
export function useAbortableMutation<T, V = void>(mutation: AbortableMutation<T, V>): UseMutationResult<T, Error, V> {
  const request = useRef<AbortController>(undefined);
  useEffect(() => () => request.current?.abort(), []);
  const unlessClosed = (follow: () => unknown) =>
    request.current?.signal.aborted ? queryClient.invalidateQueries() : follow();
  return useSingleMutation({
    mutationFn: (variables) => {
      request.current = new AbortController();
      return mutation.mutationFn(variables, request.current.signal);
    },
    onSuccess: (data, variables) => unlessClosed(() => mutation.onSuccess?.(data, variables)),
    onError: (error) => unlessClosed(() => mutation.onError?.(error)),
  });
}

/**
 * Each `Idempotency-Key` belongs to one creation: a second click, or a retry after a lost response, creates nothing
 * more. A different body gets its own key, and so does the next request after a call to `forget`.
 */
export function useIdempotencyKey() {
  const request = useRef({ body: "", key: "" });
  return {
    headersOf: (json: unknown) => {
      const body = JSON.stringify(json);
      if (request.current.body !== body) request.current = { body, key: newIdempotencyKey() };
      return { "Idempotency-Key": request.current.key };
    },
    forget: () => {
      request.current = { body: "", key: "" };
    },
  };
}
