export interface SetupValues {
  /** The URL of the service's endpoint with the login in it. */
  readonly url: string;
  /** The webhook's address without the login. */
  readonly plainUrl: string;
  /** The value of the `Authorization` header with the login. */
  readonly authorization: string;
  /** User name and secret of the login; a placeholder unless the secret is to be shown. */
  readonly user: string;
  readonly secret: string;
  /** `owner/name`. */
  readonly repository: string;
}

export interface SetupGuide {
  /** The settings page, or the file to edit. */
  readonly where: string;
  /** The settings to enter there: name and value. */
  readonly settings?: readonly (readonly [name: string, value: string])[];
  /** The lines to add to a file. */
  readonly lines?: string;
  /** The name of the setting for the signing secret. */
  readonly secretSetting?: string;
  /** Further notes, one or two sentences each. */
  readonly notes?: readonly string[];
}

export type Setup = (values: SetupValues) => SetupGuide;
