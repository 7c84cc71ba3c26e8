/** Host-side tools as an agent has them: described in its prompt, called by name, granted by name. */
export interface Toolbox {
  /** One line a tool: signature and description; empty where there are none. */
  describe(): string;
  /**
   * Calls a tool.
   *
   * @throws an error whose message the agent may see
   */
  call(
    name: string,
    args: unknown,
    options: { readonly signal: AbortSignal; readonly agent: string },
  ): Promise<unknown>;
  /** The tools and servers with these names, for a sub-agent. */
  grant(names: readonly string[]): Toolbox;
}
