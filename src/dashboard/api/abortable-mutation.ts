/**
 * A mutation of a dialog or form. When that is closed, its request is aborted and nothing follows: no message, no
 * navigation, no other dialog. The request may have reached the server, so what the page shows is read again.
 */
import { type UseMutationResult, useQueryClient } from "@tanstack/react-query";
import { useEffect, useRef } from "react";

import { useSingleMutation } from "./use-single-mutation.ts";

interface AbortableMutation<T, V> {
  mutationFn: (variables: V, signal: AbortSignal) => Promise<T>;
  onSuccess?: (data: T, variables: V) => unknown;
  onError?: (error: Error) => unknown;
}

export function useAbortableMutation<T, V = void>(mutation: AbortableMutation<T, V>): UseMutationResult<T, Error, V> {
  const queries = useQueryClient();
  const request = useRef<AbortController>(undefined);
  useEffect(() => () => request.current?.abort(), []);
  const unlessClosed = (follow: () => unknown) =>
    request.current?.signal.aborted ? queries.invalidateQueries() : follow();
  return useSingleMutation({
    mutationFn: (variables) => {
      request.current = new AbortController();
      return mutation.mutationFn(variables, request.current.signal);
    },
    onSuccess: (data, variables) => unlessClosed(() => mutation.onSuccess?.(data, variables)),
    onError: (error) => unlessClosed(() => mutation.onError?.(error)),
  });
}
