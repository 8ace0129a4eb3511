// Twice the size: a 3 x 3 tent over the smaller mip, mixed over the larger one by alpha.
#include "../common/sets.glsl"
#pragma param blur_width "share of the smaller mips in the blur" 0.7 0 1

PASS uniform sampler2D source;
PASS uniform Params { float blur_width; } params;

in vec2 uv;
out vec4 out_small;

void main() {
    vec2 texel = 1.0 / vec2(textureSize(source, 0));
    vec3 sum = vec3(0.0);
    for (int y = -1; y <= 1; y++) {
        for (int x = -1; x <= 1; x++) {
            // 1 2 1, 2 4 2, 1 2 1: together 16.
            float weight = float((2 - abs(x)) * (2 - abs(y)));
            sum += texture(source, uv + texel * vec2(x, y)).rgb * weight;
        }
    }
    out_small = vec4(sum / 16.0, params.blur_width);
}
