// The shape of the parsed tree is just-bash's. Its package exports few of the types by name; the others are reached from those.
import type {
  CommandNode,
  PipelineNode,
  ScriptNode,
  SimpleCommandNode,
  StatementNode,
  WordNode,
} from 'just-bash';

export type { CommandNode, PipelineNode, ScriptNode, SimpleCommandNode, StatementNode, WordNode };

type OfType<Union, Type> = Extract<Union, { type: Type }>;

export type AssignmentNode = SimpleCommandNode['assignments'][number];
export type RedirectionNode = SimpleCommandNode['redirections'][number];
export type HereDocNode = OfType<RedirectionNode['target'], 'HereDoc'>;
export type WordPart = WordNode['parts'][number];
export type ParameterExpansionPart = OfType<WordPart, 'ParameterExpansion'>;
export type ParameterOperation = NonNullable<ParameterExpansionPart['operation']>;
export type BraceExpansionPart = OfType<WordPart, 'BraceExpansion'>;
export type IfNode = OfType<CommandNode, 'If'>;
export type ForNode = OfType<CommandNode, 'For'>;
export type CStyleForNode = OfType<CommandNode, 'CStyleFor'>;
export type WhileNode = OfType<CommandNode, 'While'>;
export type UntilNode = OfType<CommandNode, 'Until'>;
export type CaseNode = OfType<CommandNode, 'Case'>;
export type CaseItemNode = CaseNode['items'][number];
export type ArithmeticCommandNode = OfType<CommandNode, 'ArithmeticCommand'>;
type ConditionalCommandNode = OfType<CommandNode, 'ConditionalCommand'>;
export type FunctionDefNode = OfType<CommandNode, 'FunctionDef'>;
export type CompoundCommandNode = FunctionDefNode['body'];
export type ArithmeticExpressionNode = ArithmeticCommandNode['expression'];
export type ConditionalExpressionNode = ConditionalCommandNode['expression'];

/** An argument of `declare`, `export`, `local`, `readonly`, `typeset`, … that is an assignment. `assignmentOf` finds it. */
export interface AssignmentWordNode extends WordNode {
  readonly assignment: AssignmentNode;
}

/** A word of an array's value that names its element: `[key]=value`. */
export interface ElementWordNode extends WordNode {
  readonly element: {
    /** Its source. */
    readonly subscript: string;
    readonly append: boolean;
    readonly value: WordNode;
  };
}

/** `select name in words; do …; done`. */
export interface SelectNode extends ForNode {
  readonly isSelect: true;
}

/** `coproc command`. */
export interface CoprocessNode extends SimpleCommandNode {
  readonly coprocess: { readonly name: string | undefined; readonly body: CommandNode };
}

/** `$name`, without braces: letters that follow it are of the name, if brace expansion puts them there. */
export interface BareParameterPart extends ParameterExpansionPart {
  readonly isBare: true;
}

/** `$(…)`, `<(…)` or `>(…)` with the text that it was parsed from. */
export type SourcedSubstitution = OfType<WordPart, 'CommandSubstitution' | 'ProcessSubstitution'> & {
  readonly source: string;
};

/** A word with the text that it was parsed from. */
export interface SourcedWordNode extends WordNode {
  readonly source: string;
}

/** Changes what a script does before it runs. It gets what was read together: a line, with those that it goes on to. */
export type ScriptTransform = (script: ScriptNode) => ScriptNode;
