/** Local values that replace those of AWS. */
export interface LocalValues {
  /** Origin of the SQS emulator; queue URLs are built on it. */
  readonly sqsEndpoint: string;
  /**
   * `host:port` by logical id of an API (REST or WebSocket). An address `https://<api>.execute-api.…/<stage>` anywhere
   * in the template becomes `http://host:port` (`wss` becomes `ws`): local paths have no stage.
   */
  readonly apiHosts?: Readonly<Record<string, string>>;
  /**
   * Values that take precedence over the generated ones: by `LogicalId` for Ref, by `LogicalId.Attribute` for GetAtt.
   */
  readonly overrides?: Readonly<Record<string, string>>;
}
