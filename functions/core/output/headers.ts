/** Headers of a streamed output: proxies must not cache, buffer or transform it. */
export const OUTPUT_HEADERS = {
  'content-type': 'application/x-ndjson',
  'cache-control': 'no-store, no-transform',
  'x-accel-buffering': 'no',
} as const;
