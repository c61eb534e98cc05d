/** The addresses of this machine that take the place of AWS's. */
export interface LocalValues {
  /** Origin of the SQS emulator; queue URLs are built on it. */
  readonly sqsEndpoint: string;
  /**
   * `host:port` by logical id of an API (REST or WebSocket). An address `https://<api>.execute-api.…/<stage>` anywhere
   * in the template becomes `http://host:port` (`wss` becomes `ws`): locally the stage is no part of the path.
   */
  readonly apiHosts?: Readonly<Record<string, string>>;
  /** Values that win over the generated ones: by `LogicalId` for Ref, by `LogicalId.Attribute` for GetAtt. */
  readonly overrides?: Readonly<Record<string, string>>;
}
