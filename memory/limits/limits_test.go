package limits_test

import (
	"encoding/json"
	"strconv"
	"strings"
	"testing"

	"mcp-memory/memory/limits"
)

// said is a text of a vendor, or of its kind, and what it means.
type said struct {
	vendor string
	text   string
	limit  int
}

// tooLong are context errors: those that people have reported (cases J01 to J05),
// and variants.
var tooLong = []said{
	{"Anthropic", "prompt is too long: 208310 tokens > 200000 maximum", 200000},
	{"Anthropic", "input length and `max_tokens` exceed context limit: 178959 + 64000 > 200000, decrease input length or `max_tokens` and try again", 200000},
	{"Anthropic", `413 {"error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}`, 0},
	{"OpenAI", "This model's maximum context length is 4097 tokens. However, your messages resulted in 192871 tokens. Please reduce the length of the messages.", 4097},
	{"OpenAI", "Your input exceeds the context window of this model", 0},
	{"DeepSeek", "This model's maximum context length is 1048576 tokens. However, you requested 1174018 tokens (1042946 in the messages, 131072 in the completion). Please reduce the length of the messages or completion.", 1048576},
	{"vLLM", "This model's maximum context length is 262144 tokens. However, you requested 0 output tokens and your prompt contains at least 262145 input tokens, for a total of at least 262145 tokens.", 262144},
	{"proxy", "Input length (265330) exceeds model's maximum context length (262144).", 262144},
	{"proxy", "Requested token count exceeds the model's maximum context length of 131072 tokens", 131072},
	{"Gemini", "The input token count (1200293) exceeds the maximum number of tokens allowed (1048576).", 1048576},
	{"Gemini", "The input token count (132478) exceeds the maximum number of tokens allowed (131072).", 131072},
	{"Qwen", "<400> InternalError.Algo.InvalidParameter: Range of input length should be [1, 204800]", 204800},
	{"Qwen", "Range of input length should be [1, 30720]", 30720},
	{"llama.cpp", "request (124071 tokens) exceeds the available context size (123904 tokens), try increasing it", 123904},
	{"llama.cpp", "the request exceeds the available context size, try increasing it", 0},
	{"LM Studio", "tokens to keep from the initial prompt is greater than the context length", 0},
	{"Ollama", "prompt too long; exceeded max context length by 512 tokens", 0},
	{"Ollama", "the input length exceeds the context length", 0},
	{"ds4-server", "Prompt has 256468 tokens, but the configured context size is 256000 tokens", 256000},
	{"xAI", "This model's maximum prompt length is 131072 but the request contains 537812 tokens", 131072},
	{"Groq", "Please reduce the length of the messages or completion", 0},
	{"Mistral", "Prompt contains 140000 tokens ... too large for model with 131072 maximum context length", 131072},
	{"GitHub Copilot", "prompt token count of 140000 exceeds the limit of 128000", 128000},

	{"Kimi", "Invalid request: Your request exceeded model token limit: 262144 (requested: 291351)", 262144},
	{"Kimi", "Your request exceeded model token limit", 0},
	{"MiniMax", "invalid params, context window exceeds limit (2013)", 0},
	{"Z.ai", "model_context_window_exceeded", 0},
	{"Z.ai", `{"error":{"code":"1261","message":"Prompt exceeds max length"}}`, 0},
	{"OpenAI", "This model's maximum context length is 8192 tokens, however you requested 9000 tokens (5000 in your prompt; 4000 for the completion).", 8192},
	{"OpenAI", "Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. Please reduce the length of the messages.", 272000},
	{"OpenAI", "Invalid 'messages[1].content': string too long. Expected a string with maximum length 1048576, but got a string with length 1144123 instead.", 0},
	{"OpenAI", `{"error":{"message":"","code":"context_length_exceeded","status":400}}`, 0},
	{"vLLM", "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 1500 input tokens (32000 > 8192 - 1500).", 8192},
	{"vLLM", "The decoder prompt (length 9000) is longer than the maximum model length of 8192. Make sure that `max_model_len` is no smaller than the number of text tokens.", 8192},
	{"vLLM", "You passed 4097 input tokens and requested 0 output tokens. However, the model's context length is only 4096 tokens, resulting in a maximum input length of 4096 tokens.", 4096},
	{"SGLang", "The input (265330 tokens) is longer than the model's context length (262144 tokens).", 262144},
	{"SambaNova", "The maximum context length of DeepSeek-V3 is 8192. However, answering your request will take 10000 tokens.", 8192},
	{"OpenRouter", "This endpoint's maximum context length is 131,072 tokens. However, you requested about 140,001 tokens (140,001 of text input).", 131072},
	{"OpenRouter", "Input length 131393 exceeds the maximum allowed input length of 131040 tokens.", 131040},
	{"Vertex", "Unable to submit request because the input token count is 34079 but model only supports up to 32768. Reduce the input token count and try again.", 32768},
	{"Bedrock", "ValidationException: Input is too long for requested model.", 0},
	{"Cerebras", "Please reduce the length of the messages or completion. Current length is 8435 while limit is 8192", 8192},
	{"Cohere", "too many tokens: total number of tokens in the prompt cannot exceed 4081 - received 5121.", 4081},
	{"Cohere", "too many tokens: size limit exceeded by 1234 tokens. Try using shorter or fewer inputs. The limit for this model is 128000 tokens.", 128000},
	{"TGI", "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 5000 `inputs` tokens and 200 `max_new_tokens`", 4096},
	{"TGI", "`inputs` must have less than 1024 tokens. Given: 1500", 1024},
	{"Fireworks", "The prompt is too long: 140000, model maximum context length: 131071", 131071},
	{"Mistral", "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length", 32768},
	{"GitHub Models", "Request body too large for gpt-4o model. Max size: 8000 tokens.", 8000},
	{"Cloudflare", "The estimated number of input and maximum output tokens (9000) exceeded this model context window limit (7968).", 7968},
	{"watsonx", "the number of input tokens 9000 cannot exceed the total tokens limit 8192 for this model", 8192},
	{"ExLlama", "Prompt length 9000 is greater than max_seq_len 8192", 8192},
	{"LM Studio", "Trying to keep the first 12345 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.", 4096},
	{"LM Studio", "Reached context length of 4096 tokens with model", 4096},
	{"llama.cpp", "input is too large to process. increase the physical batch size", 0},
	{"llama.cpp", `{"error":{"code":400,"message":"the request exceeds the available context size. try increasing the context size or enable context shift","type":"exceed_context_size_error","n_prompt_tokens":9000,"n_ctx":4096}}`, 4096},
	{"Hunyuan", "Total message token length exceed model limit (262144 tokens)", 262144},
	{"a rule of thumb", "conversation does not fit the model's 128k context window", 128000},
	{"a page", "<html><h1>413 Request Entity Too Large</h1></html>", 0},
	{"grouped", "prompt is too long: 208_310 tokens > 200_000 maximum", 200000},
	{"small range", "Range of input length should be [1,512]", 512},
	{"Chinese", "输入长度超过模型上限", 0},
	{"Chinese", "请求的 token 数超过模型最大上下文长度 32768", 32768},
	{"Chinese, escaped", `{"message":"\u8f93\u5165\u5185\u5bb9\u8fc7\u957f"}`, 0},
	{"Chinese, traditional", "提示過長，超過最大長度 8192", 8192},
	{"Japanese", "入力が長すぎます", 0},
	{"curly", "This model’s maximum context length is 4096 tokens. However, your prompt has 5000.", 4096},
	{"JSON in JSON", `{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"prompt is too long: 208310 tokens \u003e 200000 maximum\"}}"}}}`, 200000},
	{"llama-cpp-python", "Requested tokens (5000) exceed context window of 4096", 4096},
	{"Bedrock", "ValidationException: 400 Bad Request: Too many input tokens. Max input tokens: 8192, request input token count: 9000", 8192},
	{"Bedrock", "The model returned the following errors: prompt is too long: 201000 tokens > 200000 maximum", 200000},
	{"SiliconFlow", "length of prompt_tokens (140000) must be less than max_seq_len (131072).", 131072},
	{"TensorRT-LLM", "Prompt length (9000) exceeds maximum input length (8192). Set log level to info and above for more details", 8192},
	{"MLC", "Request prompt has 9000 tokens in total, larger than the model input length limit 8192.", 8192},
	{"GPT4All", "The prompt size exceeds the context window size and cannot be processed.", 0},
	{"Doubao", "Input length 140000 exceeds the maximum length 131072", 131072},
	{"Doubao", "Total tokens of image and text exceed max message tokens. Request id: 02174", 0},
	{"Gemini", "The input token count exceeds the maximum number of tokens allowed 1048576.", 1048576},
	{"GitHub Copilot", "model_max_prompt_tokens_exceeded: prompt token count of 69000 exceeds the limit of 64000", 64000},
	{"Z.ai", "Prompt 超长", 0},
	{"Baidu", "Prompt tokens too long, max 8192", 8192},
	{"Ollama", "input length exceeds maximum context length", 0},
	{"text-generation-webui", "Input length 5000 exceeds maximum 4096", 4096},
	{"a proxy", "The input is too long: 140000 tokens, the model's limit is 131072 tokens", 131072},
	{"a proxy", "This request has 150000 input tokens but the model only supports 128000", 128000},
	{"a code alone", "context_length_exceeded", 0},
	{"OpenAI", "Your input exceeds the context window of this model. Please adjust your input and try again.", 0},
	{"Gemini", "Request payload size exceeds the limit: 20971520 bytes.", 0},
	{"a gateway, in bytes", "Request body too large. Max size: 4194304 bytes", 0},
	{"Replicate", "E1002 PromptTooLong: Prompt length exceeds maximum input length", 0},
	{"Chinese", "模型的最大上下文长度为 131072 个 token，您请求了 140000 个 token", 131072},
	{"Korean", "입력 길이가 모델의 최대 컨텍스트 길이를 초과했습니다", 0},
	{"LiteLLM", `{"error":{"message":"litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: AzureException - Error code: 400 - {'error': {'message': \"This model's maximum context length is 128000 tokens. However, your messages resulted in 166000 tokens.\"}}"}}`, 128000},
	{"vLLM", "You passed 140001 input characters and requested 512 output tokens. However, the model's context length is only 131072 tokens", 131072},
	{"a proxy", "Error: 400 input_tokens (200001) must be <= 200000", 200000},
	{"a proxy", "Conversation has 210000 tokens, exceeding the 200000 token limit.", 200000},
	{"OpenRouter", `This endpoint's maximum context length is 65536 tokens. However, you requested about 70000 tokens (60000 of text input, 10000 in the output). Please reduce the length of either one, or use the "middle-out" transform to compress your prompt automatically.`, 65536},
	{"vLLM", "Prompt is longer than the maximum context length 32768 (model llama), got 40000", 32768},
	{"a rule of thumb", "Requested 9000 tokens exceed the 8k context window", 8000},
	{"embeddings", "input too long for model: 513 tokens exceeds 512", 512},
	{"larger than any window", "This model's maximum context length is 99999999999999999999 tokens.", 0},
}

// other are no context errors, though they speak of tokens, lengths and limits
// (case J06).
var other = []said{
	{vendor: "OpenAI", text: "Request too large for gpt-4o on tokens per min (TPM): Limit 30000, Requested 342389. The input or output tokens must be reduced in order to run successfully."},
	{vendor: "Bedrock", text: "ThrottlingException: Too many tokens, please wait before trying again."},
	{vendor: "DashScope", text: "Value error, batch size is invalid, it should not be larger than 10.: input.contents"},
	{vendor: "Groq", text: "Request too large for model `llama` in organization `org` on tokens per minute (TPM): Limit 6000, Requested 7000, please reduce your message size and try again."},
	{vendor: "OpenAI", text: "Rate limit reached for gpt-4 in organization org on tokens per day: Limit 10000, Used 9999, Requested 300."},
	{vendor: "Anthropic", text: "This request would exceed your organization's rate limit of 40,000 input tokens per minute."},
	{vendor: "Anthropic", text: "max_tokens: 64000 > 8192, which is the maximum allowed number of output tokens for the model"},
	{vendor: "OpenAI", text: "max_tokens is too large: 100000. This model supports at most 16384 completion tokens, whereas you provided 100000."},
	{vendor: "OpenAI", text: "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."},
	{vendor: "OpenAI", text: "You exceeded your current quota, please check your plan and billing details."},
	{vendor: "OpenAI", text: "Invalid 'input': array too long. Expected an array with maximum length 2048, but got an array with length 3000 instead."},
	{vendor: "DeepSeek", text: "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]"},
	{vendor: "Qwen", text: "Range of max_tokens should be [1, 8192]"},
	{vendor: "Qwen", text: "Range of top_p should be (0.0, 1.0]"},
	{vendor: "Bedrock", text: "The maximum tokens you requested exceeds the model limit of 4096. Try again with a maximum tokens value that is lower than 4096."},
	{vendor: "Vertex", text: "Unable to submit request because it has a maxOutputTokens value of 65536 but the supported range is from 1 (inclusive) to 8193 (exclusive)."},
	{vendor: "Gemini", text: "Resource has been exhausted (e.g. check quota). Input token count exceeds the limit."},
	{vendor: "OpenRouter", text: "This request requires more credits, or fewer max_tokens. You requested up to 64000 tokens, but can only afford 1234."},
	{vendor: "Kimi", text: "max_tokens exceeds the limit of 8192"},
	{vendor: "Kimi", text: "Invalid request: max_tokens exceeds the limit of 8192 tokens"},
	{vendor: "any", text: `429 {"error":{"message":"prompt is too long"}}`},
	{vendor: "any", text: "HTTP 503: the request exceeds the context length"},
	{vendor: "any", text: `{"error":{"code":429,"message":"Too many tokens"}}`},
	{vendor: "any", text: `{"error":{"message":"vision tokens exceed processor budget","param":"input"}}`},
	{vendor: "any", text: "image exceeds 5 MB maximum"},
	{vendor: "any", text: "Request Header Fields Too Large"},
	{vendor: "any", text: "unknown field context_window"},
	{vendor: "any", text: "the model is overloaded"},
	{vendor: "any", text: "invalid API key"},
	{vendor: "Chinese", text: "请求过于频繁，每分钟 token 数超过限制"},
	{vendor: "Chinese", text: "max_tokens 超过限制 8192"},
	{vendor: "Anthropic", text: "Number of request tokens has exceeded your per-minute rate limit (https://docs.anthropic.com/en/api/rate-limits)"},
	{vendor: "Anthropic", text: "This request would exceed the rate limit for your organization of 30,000 input tokens per minute. For details, refer to: https://docs.claude.com. Please reduce the prompt length or the maximum tokens requested, or try again later."},
	{vendor: "Anthropic", text: "Extra usage is required for long context requests."},
	{vendor: "Anthropic", text: "The long context beta is not yet available for this subscription."},
	{vendor: "Azure", text: "Requests to the ChatCompletions_Create Operation under Azure OpenAI API version 2024-02-01 have exceeded token rate limit of your current OpenAI S0 pricing tier. Please retry after 6 seconds."},
	{vendor: "Gemini", text: "Quota exceeded for metric: generativelanguage.googleapis.com/generate_content_free_tier_input_token_count, limit: 250000"},
	{vendor: "Bedrock", text: "Too many tokens per day, please wait before trying again."},
	{vendor: "Mistral", text: "Service tier capacity exceeded for this model."},
	{vendor: "Cerebras", text: "Tokens per minute limit exceeded - too many tokens processed."},
	{vendor: "OpenAI", text: "Invalid 'max_output_tokens': integer above maximum value. Expected a value <= 128000, but got 200000 instead."},
	{vendor: "Fireworks", text: "Requests with max_tokens > 4096 must have stream=true"},
	{vendor: "Anthropic", text: "max_tokens: 9000 > 8192, which is the maximum allowed number of output tokens for claude-3-5"},
	{vendor: "Cohere", text: "max_tokens must be less than or equal to 4096, the maximum output for this model - received 8192"},
	{vendor: "Anthropic", text: "`max_tokens` must be greater than `thinking.budget_tokens`. Please consult our documentation at https://docs.anthropic.com/en/docs/build-with-claude/extended-thinking#max-tokens-and-context-window-size"},
	{vendor: "Gemini", text: "The thinking budget 30000 is invalid. Please choose a value between 128 and 24576."},
	{vendor: "Anthropic", text: "messages.0.content.1.image.source.base64: image exceeds 5 MB maximum: 7038492 bytes > 5242880 bytes"},
	{vendor: "Anthropic", text: "messages.1.content.0.image: at least one of the image dimensions exceed max allowed size: 8000 pixels"},
	{vendor: "OpenAI", text: "Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 56 instead."},
	{vendor: "OpenAI", text: `{"error":{"message":"Invalid 'messages[2].tool_calls[0].id': string too long. Expected a string with maximum length 40, but got a string with length 56 instead.","type":"invalid_request_error","param":"messages[2].tool_calls[0].id","code":"string_above_max_length"}}`},
	{vendor: "OpenAI", text: "Invalid 'tools[0].function.description': string too long. Expected a string with maximum length 1024, but got a string with length 1500 instead."},
	{vendor: "OpenAI", text: "Invalid 'tools': array too long. Expected an array with maximum length 128, but got an array with length 200 instead."},
	{vendor: "Ollama", text: "model requires more system memory (8.4 GiB) than is available (6.1 GiB)"},
	{vendor: "any", text: "The response was cut: the model reached the maximum number of output tokens"},
	{vendor: "any", text: "Model is at capacity, input queue exceeds maximum size"},
	{vendor: "any", text: "The server had an error processing your request: request timed out, total time exceeds limit"},
	{vendor: "any", text: "concurrency limit exceeded: too many concurrent requests"},
	{vendor: "any", text: "Too many images in the request: 25 > 20"},
	{vendor: "any", text: "tool name exceeds maximum length of 64 characters"},
	{vendor: "any", text: "You have exceeded your token limit for this month"},
	{vendor: "any", text: "max_completion_tokens is too large: 200000. This model supports at most 100000 completion tokens, whereas you provided 200000."},
	{vendor: "OpenAI", text: "User prompt exceeded content filter thresholds"},
	{vendor: "any", text: "请求的 max_tokens 超出模型最大输出长度 8192"},
	{vendor: "Chinese", text: "账户余额不足，token 超出"},
	{vendor: "Chinese", text: "TPM 超限：输入 token 数超过限制"},
	{vendor: "Chinese", text: "Resource exhausted: input tokens limit 4000000 for this minute was exceeded"},
	{vendor: "any", text: "Input tokens limit reached for this minute, retry in 20s"},
	{vendor: "any", text: "Invalid value for 'n': must be at most 128"},
	{vendor: "any", text: "The total size of the request's files is larger than 32 MB"},
	{vendor: "any", text: "Context deadline exceeded"},
	{vendor: "any", text: "context deadline exceeded (Client.Timeout exceeded while awaiting headers)"},
	{vendor: "any", text: "context canceled: request limit exceeded"},
	{vendor: "nobody", text: ""},
}

func TestContextError(t *testing.T) {
	t.Parallel()
	for _, s := range tooLong {
		for form, text := range forms(t, s.text) {
			if limit, is := limits.ContextError(text); !is || limit != s.limit {
				t.Errorf("%s, %s: ContextError(%q) = %d, %v, want %d, true", s.vendor, form, text, limit, is, s.limit)
			}
		}
	}
	for _, s := range other {
		for form, text := range forms(t, s.text) {
			if limit, is := limits.ContextError(text); is || limit != 0 {
				t.Errorf("%s, %s: ContextError(%q) = %d, %v, want 0, false", s.vendor, form, text, limit, is)
			}
		}
	}
}

// TestKind looks at the words by which a limit is told, a text for each form.
func TestKind(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"prompt is too long: 208310 tokens > 200000 maximum":                                                    "comparison",
		"Range of input length should be [1, 30720]":                                                            "range",
		"This model's maximum context length is 4097 tokens. However, your messages resulted in 192871 tokens.": "maximum",
		"request (124071 tokens) exceeds the available context size (123904 tokens), try increasing it":         "available",
		"prompt token count of 140000 exceeds the limit of 128000":                                              "exceeds",
		`{"message":"the request exceeds the available context size","n_ctx":4096}`:                             "n_ctx",
		"Please reduce the length of the messages. Current length is 8435 while limit is 8192":                  "limit",
		"conversation does not fit the model's 128k context window":                                             "size first",
		"the model is loaded with context length of only 4096 tokens, which is not enough":                      "context",
		"输入超过限制 8192":                                 "chinese",
		"the input length exceeds the context length": "",
		"Rate limit reached: limit 30000":             "",
		"":                                            "",
	} {
		if got := limits.Kind(text); got != want {
			t.Errorf("Kind(%q) = %q, want %q", text, got, want)
		}
	}
}

// forms are the ways in which a text arrives.
func forms(t *testing.T, text string) map[string]string {
	t.Helper()
	quoted, err := json.Marshal(text)
	if err != nil {
		t.Fatalf("Marshal(%q): %v", text, err)
	}
	list := map[string]string{
		"plain":     text,
		"broken":    strings.Join(strings.Split(text, " "), " \n "),
		"shouted":   strings.ReplaceAll(strings.ToUpper(text), `\U`, `\u`),
		"as object": `{"error":{"message":` + string(quoted) + `,"type":"invalid_request_error","param":"messages","code":null}}`,
	}
	if !strings.HasPrefix(text, "4") {
		list["with a status"] = "Error code: 400 - " + text
	}
	return list
}

// FuzzContextError looks for texts that break the rules of every answer.
func FuzzContextError(f *testing.F) {
	for _, list := range [][]said{tooLong, other} {
		for _, s := range list {
			f.Add(s.text)
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		limit, is := limits.ContextError(text)
		if limit < 0 || limit > 0 && !is {
			t.Errorf("ContextError(%q) = %d, %v: a limit without an error", text, limit, is)
		}
		digits := strings.NewReplacer(",", "", "_", "").Replace(text)
		named := strconv.Itoa(limit)
		if limit > 0 && !strings.Contains(digits, named) && !strings.Contains(digits, strings.TrimSuffix(named, "000")) && !strings.Contains(text, `\`) {
			t.Errorf("ContextError(%q) = %d: a number that is not in it", text, limit)
		}
		if kind := limits.Kind(text); (kind != "") != (limit > 0) {
			t.Errorf("Kind(%q) = %q, want a word if and only if there is a limit, which is %d", text, kind, limit)
		}
		if _, still := limits.ContextError("rate limit: " + text); still {
			t.Errorf("ContextError(rate limit: %q) = true, want false", text)
		}
	})
}
