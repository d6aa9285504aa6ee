/** What a call returns: the body, or with `withResponse()` the response beside it. */

export interface Answer<T> {
  data: T;
  /** Of a single link: for `ifMatch`. */
  etag: string | null;
  /** Its body is `data` already. */
  response: Response;
}

export interface ApiPromise<T> extends Promise<T> {
  withResponse: () => Promise<Answer<T>>;
}

export function apiPromise<T>(answer: Promise<Answer<T>>): ApiPromise<T> {
  const data = answer.then((answered) => answered.data);
  const withResponse = () => {
    // Nobody looks at it then, and an error that nobody looks at ends a Node process.
    data.catch(() => {});
    return answer;
  };
  return Object.assign(data, { withResponse });
}
