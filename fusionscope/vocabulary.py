"""The vocabulary of the session log as far as it has been published: event types, fields that are not read, values.

Sources: the event schemas inside CLI 1.0.84-4 and 1.0.102, and the Python types of ``github-copilot-sdk`` 1.0.9, 1.0.13,
1.0.20 and 1.0.27 (tests compare with each). ``model.*`` stand in no schema: they are copies of what the agent loop did, written
while a conversation is compacted, as CLI 1.0.102 lists them. Nothing here decides what is shown: a word that is missing is
shown as it is, and ``doctor`` names it.
"""

from __future__ import annotations

__all__ = ["CONTRACT_VERSION", "ENUMERATIONS", "ORDINARY_TYPES", "UNREAD_FIELDS"]

#: the newest version of the Fusion event contract that this release was written for
CONTRACT_VERSION = 1

#: the values of the enumerations that Fusion events have. Every other word (policy, verdict, reason ...) is free text.
ENUMERATIONS: dict[str, frozenset[str]] = {
    "pattern": frozenset({"single", "cascade", "critique"}),
    "kind": frozenset({"primary", "judge", "repair", "draft", "critic", "revision", "follow_up"}),
    "scope": frozenset({"root", "review"}),
    "status": frozenset({"succeeded", "failed", "cancelled"}),
    "follow_up": frozenset({"reuse_primary", "reroute"}),
    "commit_kind": frozenset({"text", "terminal_tool"}),
}

_REPLAY = frozenset({"content", "projectionMessage", "projectionMode", "stagedTerminal"})  # outputs, for the CLI's own replay

#: fields of Fusion events that are known and never decoded: text, or a second spelling of what is read elsewhere
UNREAD_FIELDS: dict[str, frozenset[str]] = {
    "session.fusion_route_failed": frozenset({"errorMessage"}),
    "assistant.fusion_phase_started": frozenset({"pattern"}),
    "assistant.fusion_phase_completed": _REPLAY,
    "assistant.fusion_phase_failed": _REPLAY | {"errorMessage"},
    "session.fusion_handoff": frozenset({"message"}),
    "session.fusion_commit_started": frozenset({"toolCallId"}),
    "session.fusion_completed": frozenset({"inputTokens", "outputTokens", "cachedTokens", "cacheWriteTokens"}),
}

#: the event types that are known and not read; any other is counted by its name
ORDINARY_TYPES = frozenset(
    """
    abort agent.interrupted assistant.fusion_phase_activity assistant.idle assistant.intent assistant.message_delta
    assistant.message_start assistant.reasoning assistant.reasoning_delta assistant.server_tool_progress
    assistant.streaming_delta assistant.tool_call_delta assistant.turn_end assistant.turn_retry assistant.turn_start
    assistant.usage auto_mode_switch.completed auto_mode_switch.requested capabilities.changed command.completed
    command.execute command.queued commands.changed elicitation.completed elicitation.requested exit_plan_mode.completed
    exit_plan_mode.requested external_tool.completed external_tool.requested factory.run_settled factory.run_started
    factory.run_updated hook.end hook.progress hook.start human_response.recorded instruction.update
    mcp.headers_refresh_completed mcp.headers_refresh_required mcp.oauth_completed mcp.oauth_recovery_completed
    mcp.oauth_required mcp.prompts.list_changed mcp.resources.list_changed mcp.tools.list_changed mcp_app.tool_call_complete
    model.binary_attachments_removed model.call_failure model.call_final_result model.call_finished model.call_start
    model.captured_assignment_context model.compaction_completed model.compaction_started
    model.compaction_static_context_blocked model.embedding_retrieval_injection model.error model.history_truncated
    model.image_processing model.log model.message model.messages_snapshot model.model_call_failure model.model_call_started
    model.model_call_success model.response model.response_limits_status model.telemetry model.tool_execution
    model.turn_ended model.turn_failed model.turn_retry model.turn_started model.usage_info pending_messages.modified
    permission.assentDetected permission.carriedForward permission.completed permission.contextualAuthorization
    permission.messageAuthorization permission.messageAuthorizationDegraded permission.messageAuthorizationRead
    permission.requested prompt_cache_break sampling.completed sampling.requested sandbox.decision
    session.auto_mode_resolved session.auto_tier_recommendation session.auto_tier_switch_failed
    session.autopilot_objective_changed session.autopilot_stopped session.background_tasks_changed session.binary_asset
    session.canvas.closed session.canvas.opened session.canvas.recorded session.canvas.registry_changed
    session.canvas.removed session.canvas.unavailable session.compaction_start session.completion_receipt
    session.context_changed session.context_cleared session.custom_agents_updated session.custom_notification session.error
    session.extensions.attachments_pushed session.extensions_loaded session.fusion_change_checkpoint
    session.fusion_route_started session.handoff session.idle session.indexed_search session.managed_plugin_progress
    session.managed_settings_enforced session.managed_settings_resolved session.mcp_server_needs_reconnect
    session.mcp_server_removed session.mcp_server_status_changed session.mcp_server_tools_loaded session.mcp_servers_loaded
    session.memory_changed session.mode_changed session.mode_notice_delivered session.model_change session.model_deselected
    session.permission_recovery session.permissions_changed session.plan_changed session.quota_observation
    session.remote_steerable_changed session.request_body_compression_disabled session.schedule_cancelled
    session.schedule_created session.schedule_rearmed session.session_limits_changed session.skills_loaded
    session.snapshot_rewind session.task_complete session.title_changed session.todos_changed session.tools_updated
    session.truncation session.usage_checkpoint session.usage_info session.warning session.workspace_file_changed
    session_limits_exhausted.completed session_limits_exhausted.requested skill.context_delivered
    skill.context_delivered_ref skill.invoked skill.invoked_ref subagent.completed subagent.configured subagent.deselected
    subagent.failed subagent.selected subagent.started system.message system.notification tool.execution_partial_result
    tool.execution_progress tool.shell_output tool.user_requested tool_search.activated ui.ephemeral_query
    user_input.completed user_input.requested workflow.run_settled workflow.run_started workflow.run_updated
    """.split()
)
