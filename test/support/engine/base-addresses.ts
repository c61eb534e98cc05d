/** A header of a request, and the base address that both engines make of it; `own` stands for that of the server. */
export const BASE_ADDRESSES = [
  ['X-Forwarded-Proto: javascript', 'http://api.example:8080'],
  ['X-Forwarded-Proto: https, http', 'https://api.example:8080'],
  ['Host: evil.example"><script>', 'http://own'],
  ['Host: user@evil.example', 'http://own'],
  ['Host: ', 'http://own'],
  ['Host: [::1]:8080', 'http://[::1]:8080'],
  ['Host: my_app.ann.localhost:8080', 'http://my_app.ann.localhost:8080'],
] as const;
